package serve

import "slices"

// mostDrawn is the number of nodes in a drawing: more would be hard to follow.
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

// surroundings holds what a drawing needs of a graph.
type surroundings struct {
	near   func(v int32) []int32                // neighbours
	answer func(list []int32) ([]Answer, error) // about nodes
}

// describe fills in the surroundings of v, and what is said about its neighbours.
func (s surroundings) describe(x *Explanation, v int32) error {
	list := []int32{v}
	for _, e := range x.Edges {
		if !slices.Contains(list, e.v) {
			list = append(list, e.v)
		}
	}
	n := &Neighbourhood{Direct: len(list) - 1}
	list = s.further(list)
	answers, err := s.answer(list)
	if err != nil {
		return err
	}
	for i, a := range answers {
		n.Nodes = append(n.Nodes, Drawn{a.ID, a.Class, a.Value, a.Label, len(s.near(list[i]))})
	}
	for i, e := range x.Edges {
		a := answers[slices.Index(list, e.v)]
		x.Edges[i].Other, x.Edges[i].Class, x.Edges[i].Value = a.ID, a.Class, a.Value
	}
	n.Edges = s.between(list)
	x.Around = n
	return nil
}

// further returns nodes, the first of which is the centre, followed by neighbours of the others: one of each, then a
// second of each, as long as there is room.
func (s surroundings) further(list []int32) []int32 {
	direct := list[1:]
	for turn, more := 0, true; more && len(list) < mostDrawn; turn++ {
		more = false
		for _, u := range direct {
			next := s.near(u)
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

// between returns the edges between nodes, by their places.
func (s surroundings) between(list []int32) [][2]int {
	edges := [][2]int{}
	for j, v := range list {
		near := s.near(v)
		for i := range j {
			if slices.Contains(near, list[i]) {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	return edges
}
