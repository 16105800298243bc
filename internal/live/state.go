package live

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// State is H on a graph that changes. Its methods are for one goroutine at a time; readers may share it between
// changes, and while drafts of it are.
type State struct {
	form      form
	tolerance float64
	rows
	sums
	changed
	scratch

	// A draft has base; see Draft.
	base   *State
	slot   []int32 // by nodes of a draft: 1 + the row of a node; 0 is with base
	here   []int32 // the nodes of its rows
	heard  []int32 // the nodes whose slack it has
	edited []int32 // whose π, or edges, are others; a node as often as that was
	spare  atomic.Pointer[State]
}

// sums holds totals over all nodes.
type sums struct {
	nodes, edges  int
	most, longest float64 // no degree, and no row of the minimiser, is larger
	since         since
}

// changed lists the rows to look at.
type changed struct {
	queue []int32
	is    []bool
	blunt []int32 // rows whose rounding was too large for the bound when they were looked at

	// slack is how far the neighbours of v may move, Σ a_uv ‖δ_u‖, before v must be looked at. In a draft, NaN means
	// the value of base.
	slack []float64

	visited int // rows that the last Settle solved for
	given   int // rows that Put gave since then
	told    int // number of neighbours that it notified

	mark []uint32 // the round in which a row was seen
	now  uint32

	watch func(v int32) // called after a row of the minimiser was looked at; may be nil
}

// New returns the state of l on g, which may change from then on: after the given number of steps or, with 0, at the
// minimiser, settled to the tolerance; see Settle. The error says why l cannot follow, or is an *Unsettled or the
// error of ctx.
func New(ctx context.Context, l descent.Local, steps int, g *graph.Graph, tolerance float64) (*State, error) {
	f := newForm(l, steps)
	if err := f.check(); err != nil {
		return nil, err
	}
	if g.Features().Cols > 0 {
		return nil, fmt.Errorf("edges are weighted by their features, which added edges would not have; " +
			"data.edge_features: none trains without")
	}
	n, p := g.NumNodes(), l.Pi
	if p.Rows() != n {
		return nil, fmt.Errorf("live: π of %d nodes for a graph of %d", p.Rows(), n)
	}
	s := &State{form: f, tolerance: tolerance, scratch: newScratch(p.Cols())}
	s.nodes, s.cols = n, p.Cols()
	if err := s.join(g); err != nil {
		return nil, err
	}
	s.rows.p = wide(make([]mat.Real, n*s.cols))
	p.Read(s.rows.p)
	s.is, s.mark, s.slack = make([]bool, n), make([]uint32, n), make([]float64, n)
	for v := range int32(n) {
		s.touch(v)
	}
	if f.steps == 0 {
		s.startAtProx()
	} else {
		for range f.steps + 1 {
			s.layers = append(s.layers, wide(s.rows.p))
		}
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
	if last := len(s.layers) - 1; last >= 0 {
		return span(o.layers[last], i, s.cols)
	}
	root, h := s.form.root(o.of[i].degree), make([]mat.Real, s.cols)
	for j, x := range span(o.z, i, s.cols) {
		h[j] = mat.Real(root * x)
	}
	return h
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
	return float64(l.weightAt(at))
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
	v, i := int32(s.nodes), len(s.of)
	s.nodes++
	s.of, s.p = append(s.of, list{}), append(s.p, p...)
	for l := range s.layers {
		s.layers[l] = append(s.layers[l], p...)
	}
	s.is, s.mark, s.slack = append(s.is, false), append(s.mark, 0), append(s.slack, 0)
	if s.base != nil {
		s.heard = append(s.heard, v)
		s.here = append(s.here, v)
		s.slot = append(s.slot, int32(len(s.here)))
	}
	if len(s.layers) == 0 {
		s.z = append(s.z, s.next...)
		s.place(i)
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

// forget ends the changes.
func (s *State) forget() {
	for _, v := range s.queue {
		s.is[v] = false
	}
	s.queue, s.blunt = s.queue[:0], s.blunt[:0]
}
