package serve

import "slices"

// mostDrawn is how many nodes a drawing has: more than that nobody can follow.
const mostDrawn = 56

// Neighbourhood is the part of a graph around a node: the node, neighbours that pull most, and theirs as far as there
// is room.
type Neighbourhood struct {
	Nodes  []Drawn  `json:"nodes"`
	Direct int      `json:"direct"` // how many are neighbours of the first
	Edges  [][2]int `json:"edges"`  // between nodes, by their places in Nodes
}

// Drawn is a node of a drawing.
type Drawn struct {
	ID     string   `json:"id"`
	Class  string   `json:"class,omitempty"`
	Value  *float64 `json:"value,omitempty"`
	Label  string   `json:"label,omitempty"`
	Degree int      `json:"degree"`
}

// draw fills what stands around v, and what is said about its neighbours.
func (m *Model) draw(x *Explanation, v int32) error {
	g := m.graph
	list := []int32{v}
	for _, e := range x.Edges {
		list = append(list, e.v)
	}
	n := &Neighbourhood{Direct: len(x.Edges)}
	list = g.further(list)
	ids := make([]string, len(list))
	for i, u := range list {
		ids[i] = g.id(u)
	}
	answers, err := m.answer(ids)
	if err != nil {
		return err
	}
	for i, a := range answers {
		n.Nodes = append(n.Nodes, Drawn{a.ID, a.Class, a.Value, a.Label, len(g.state.Neighbours(list[i]))})
		if i > 0 && i <= n.Direct {
			x.Edges[i-1].Class, x.Edges[i-1].Value = a.Class, a.Value
		}
	}
	n.Edges = g.between(list)
	x.Around = n
	return nil
}

// further are nodes, the first of which is the centre, and after them neighbours of the others: one of each, then a
// second of each, as long as there is room.
func (g *graph) further(list []int32) []int32 {
	near := list[1:]
	for turn, more := 0, true; more && len(list) < mostDrawn; turn++ {
		more = false
		for _, u := range near {
			next := g.state.Neighbours(u)
			if turn >= len(next) || len(list) >= mostDrawn {
				continue
			}
			more = true
			if w := next[turn]; !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	return list
}

// between are the edges between nodes, by their places.
func (g *graph) between(list []int32) [][2]int {
	edges := [][2]int{}
	for i := range list {
		for j := range i {
			if g.state.Weight(list[i], list[j]) > 0 {
				edges = append(edges, [2]int{j, i})
			}
		}
	}
	return edges
}
