package serve

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/bloomgml/bloom/task/node"
)

// Explanation says why an answer is what it is, by pieces of evidence that add up to it.
type Explanation struct {
	Answer
	Breakdown *node.Breakdown `json:"breakdown"`
	Edges     []EdgeShare     `json:"edges"` // the largest shares first
	Left      int             `json:"edges_left_out,omitempty"`
	Around    *Neighbourhood  `json:"around"`
	// Proof is what bloom certify proved about the answer: it is about the graph of the data set.
	Proof *node.Holding `json:"proof,omitempty"`
	Rows  int           `json:"rows,omitempty"` // states that were computed again for the edits
}

// EdgeShare is an edge of a node, with what the node at its other end adds to the answer, if that can be told.
type EdgeShare struct {
	Other  string   `json:"node"`
	Class  string   `json:"class,omitempty"`
	Value  *float64 `json:"value,omitempty"`
	Weight float64  `json:"weight"`
	Share  float64  `json:"share"`
	v      int32
}

// An explanation names up to this number of edges, and of parts of every group.
const mostEdges, mostParts = 24, 12

// Explain explains the answer about a node, as it would be after edits that are not kept.
func (m *Model) Explain(ctx context.Context, id string, edits []Edit) (x *Explanation, err error) {
	return x, m.onDraft(ctx, edits, func(ctx context.Context, g *graph) error {
		x = &Explanation{Edges: []EdgeShare{}}
		v, err := g.find(id)
		if err != nil {
			return err
		}
		if err := g.settle(ctx); err != nil {
			return err
		}
		x.Rows = g.state.Visited()
		answers, err := m.answer(ctx, g, []string{id})
		if err != nil {
			return err
		}
		x.Answer, x.ID = answers[0], g.id(v)
		if x.Breakdown, err = m.evidence(ctx, g, v); err != nil {
			return err
		}
		for _, u := range g.state.Neighbours(v) {
			x.Edges = append(x.Edges, EdgeShare{Weight: g.state.Weight(v, u), Share: x.Breakdown.Share(u), v: u})
		}
		if c := m.proofs; len(edits) == 0 && m.journal.version == 0 && c != nil && c.Minimiser == g.settled {
			x.Proof = c.About(x.ID)
		}
		x.shorten()
		tell := func(list []int32) ([]Answer, error) {
			ids := make([]string, len(list))
			for i, v := range list {
				ids[i] = g.id(v)
			}
			return m.answer(ctx, g, ids)
		}
		return surroundings{g.state.Neighbours, tell}.describe(x, v)
	})
}

// mostExplained is the number of nodes that evidence is sought among, so that it takes no longer than people wait.
var mostExplained = 4000

// evidence takes the answer for v apart, on the part of the graph that it depends on. If that is too large, on as many
// steps around v as mostExplained nodes allow: what others add to the answer is then one piece.
func (m *Model) evidence(ctx context.Context, g *graph, v int32) (b *node.Breakdown, err error) {
	m.telling.Lock()
	logits, err := m.teller.Logits(g.state.Row(v))
	m.telling.Unlock()
	if err != nil {
		return nil, err
	}
	err = g.run(ctx, func() error {
		if g.fixed() {
			b, err = g.task.Explain(v, logits, mostParts)
			if errors.As(err, new(*node.NoEnergy)) { // of nodes without features
				b, err = nil, nil
			}
			return err
		}
		var near []int32
		if g.reach >= 0 && g.state.Nodes() > mostExplained {
			for hops := 0; hops <= g.reach; hops++ {
				more := g.around([]int32{v}, hops)
				if hops > 1 && (more == nil || len(more) > mostExplained) {
					break
				}
				near = more
			}
		}
		p, err := g.part(near)
		if err != nil {
			return err
		}
		on, err := g.within(p)
		if err != nil {
			return err
		}
		at, _ := slices.BinarySearch(p.nodes, v)
		if b, err = on.Explain(int32(at), logits, mostParts); err == nil {
			b.Rename(p.nodes)
		}
		return err
	})
	return b, err
}

// shorten leaves the edges with the largest shares, the first of them first.
func (x *Explanation) shorten() {
	slices.SortStableFunc(x.Edges, func(a, b EdgeShare) int {
		return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share))
	})
	x.Left = max(0, len(x.Edges)-mostEdges)
	x.Edges = slices.Clip(x.Edges[:len(x.Edges)-x.Left])
}

// explain handles GET /v1/explain?node=ID, and POST /v1/explain with {"node": ID, "edits": […]}.
func (s *Server) explain(m *Model, r *http.Request) (any, error) {
	in := explaining{Node: r.URL.Query().Get("node")}
	if r.Method == http.MethodPost {
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		if err := s.taken(in.Edits); err != nil {
			return nil, err
		}
	}
	if m.fixed() && len(in.Edits) > 0 {
		return nil, m.refused()
	}
	return m.Explain(r.Context(), in.Node, in.Edits)
}

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
