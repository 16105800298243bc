package solve

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// State is H on a graph that changes. Its methods are for one goroutine at a time; readers may share it between
// changes, and while drafts of it are.
type State struct {
	form form
	rows
	nodes, edges int
	widest       float64 // no bound was larger
	changed
	pass

	// A draft has base; see Draft.
	base   *State
	slot   []int32 // by nodes of a draft: 1 + the row of a node; 0 is with base
	here   []int32 // the nodes of its rows
	edited []int32 // whose π, or edges, are others; a node as often as that was
	spare  atomic.Pointer[State]
}

// changed lists the rows to look at.
type changed struct {
	queue []int32
	is    []bool

	visited int // rows that the last Settle computed
	given   int // rows that SetRow gave since then

	mark []uint32 // the round in which a row was seen
	now  uint32
}

// NewState returns the state of l on g, which may change from then on, after the given number of steps. The error says
// why l cannot follow, or is an *Unsettled or the error of ctx.
func NewState(ctx context.Context, l descent.Local, steps int, g *graph.Graph) (*State, error) {
	return newState(ctx, form{Form: NewForm(l), steps: steps}, g)
}

// NewMinimum returns the state at the minimum of ℓ_low instead, within a tolerance; see Bound.
func NewMinimum(ctx context.Context, l descent.Local, tolerance float64, g *graph.Graph) (*State, error) {
	return newState(ctx, form{Form: NewForm(l), tolerance: tolerance}, g)
}

func newState(ctx context.Context, f form, g *graph.Graph) (*State, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if g.Features().Cols > 0 {
		return nil, fmt.Errorf("edges are weighted by their features, which added edges would not have; " +
			"data.edge_features: none trains without")
	}
	n, p := g.NumNodes(), f.Pi
	if p.Rows() != n {
		return nil, fmt.Errorf("live: π of %d nodes for a graph of %d", p.Rows(), n)
	}
	s := &State{form: f, nodes: n}
	s.cols = p.Cols()
	if err := s.join(g); err != nil {
		return nil, err
	}
	s.rows.p = wide(make([]mat.Real, n*s.cols))
	p.Read(s.rows.p)
	s.is, s.mark = make([]bool, n), make([]uint32, n)
	for v := range int32(n) {
		s.touch(v)
	}
	if f.tolerance > 0 {
		s.layers = append(s.layers, wide(make([]mat.Real, n*s.cols)))
	}
	for range f.steps + 1 {
		s.layers = append(s.layers, wide(s.rows.p))
	}
	return s, s.Settle(ctx)
}

// Nodes returns the number of nodes, including removed ones, which have no edges or features.
func (s *State) Nodes() int { return s.nodes }

// Cols returns the number of columns of H.
func (s *State) Cols() int { return s.cols }

// Edges returns the number of edges.
func (s *State) Edges() int { return s.edges }

// Row is h_v; it is true until the next change.
func (s *State) Row(v int32) []mat.Real {
	o, i := s.owner(v)
	return span(o.layers[len(o.layers)-1], i, s.cols)
}

// Pi returns π_v; it is true until the next change.
func (s *State) Pi(v int32) []mat.Real {
	o, i := s.owner(v)
	return span(o.p, i, s.cols)
}

// list returns the edges of v; it is true until the next change.
func (s *State) list(v int32) *list {
	o, i := s.owner(v)
	return &o.of[i]
}

// Neighbours returns the neighbours of v, ascending; the slice is valid until the next change.
func (s *State) Neighbours(v int32) []int32 { return s.list(v).near }

// Weight returns the weight of the edge between u and v, 0 if there is none.
func (s *State) Weight(u, v int32) float64 {
	l := s.list(u)
	at, ok := l.find(v)
	if !ok {
		return 0
	}
	return l.weightAt(at)
}

// touch remembers that v has changed.
func (s *State) touch(v int32) {
	if !s.is[v] {
		s.is[v] = true
		s.queue = append(s.queue, v)
	}
}

func (s *State) touchAll(nodes []int32) {
	for _, v := range nodes {
		s.touch(v)
	}
}

// Add returns a new node with π = p and no edges.
func (s *State) Add(p []mat.Real) int32 {
	v := int32(s.nodes)
	s.nodes++
	s.of, s.p = append(s.of, list{}), append(s.p, p...)
	for l := range s.layers {
		s.layers[l] = append(s.layers[l], p...)
	}
	if s.form.tolerance > 0 {
		clear(s.layers[0][len(s.layers[0])-s.cols:])
	}
	s.is, s.mark = append(s.is, false), append(s.mark, 0)
	if s.base != nil {
		s.here = append(s.here, v)
		s.slot = append(s.slot, int32(len(s.here)))
	}
	s.edited = append(s.edited, v)
	s.touch(v)
	return v
}

// Move changes π of v.
func (s *State) Move(v int32, p []mat.Real) {
	copy(span(s.p, s.writable(v), s.cols), p)
	s.edited = append(s.edited, v)
	s.touch(v)
}

// Settle makes H true after changes: it is then H⁽ᴸ⁾, as near to the minimum as Bound says, or what SetRow gave. The
// error is an *Unsettled or the error of ctx. States are not settled then: the caller must drop a draft.
func (s *State) Settle(ctx context.Context) (err error) {
	switch s.visited = s.given; {
	case s.form.tolerance > 0:
		err = s.minimise(ctx)
	case !s.form.held:
		err = s.propagate(ctx)
	}
	s.given = 0
	s.forget()
	return err
}

// Visited returns the number of rows that the last Settle computed, one in several layers as often.
func (s *State) Visited() int { return s.visited }

// forget ends the changes.
func (s *State) forget() {
	for _, v := range s.queue {
		s.is[v] = false
	}
	s.queue = s.queue[:0]
}

// Unsettled is the error for a node whose state cannot be computed, or not within the tolerance.
type Unsettled struct {
	Node int32
	Why  string // about "it"
}

// notFinite is why the state of a node is no longer made of numbers.
const notFinite = "its state is not finite"

// Error names the node by its number.
func (e *Unsettled) Error() string { return fmt.Sprintf("node %d: %s", e.Node, e.Why) }

// Hold returns a State of rows that are computed elsewhere, h being the rows of g, n×cols. Edges, drafts, commits and
// restored rows work as in other States; after a change the caller must ask Changed, pass the rows that changed to
// Put, and call Settle.
func Hold(g *graph.Graph, h *mat.Dense) (*State, error) {
	n := g.NumNodes()
	if h.Rows() != n {
		return nil, fmt.Errorf("live: rows of %d nodes for a graph of %d", h.Rows(), n)
	}
	s := &State{form: form{Form: NewForm(descent.Local{}), held: true}, nodes: n}
	s.cols = h.Cols()
	if err := s.join(g); err != nil {
		return nil, err
	}
	s.rows.p = make([]mat.Real, n*s.cols) // π is never read
	s.layers = [][]mat.Real{wide(h.Slice())}
	s.is, s.mark = make([]bool, n), make([]uint32, n)
	return s, nil
}

// Changed returns the nodes that were added, moved, or have other edges since the last Settle, ascending.
func (s *State) Changed() []int32 { return slices.Sorted(slices.Values(s.queue)) }

// SetRow sets the row of v to h, in a State of Hold.
func (s *State) SetRow(v int32, h []mat.Real) {
	copy(span(s.layers[0], s.writable(v), s.cols), h)
	s.given++
}
