package live

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/hugepage"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// State is H on a graph that changes. Its methods are for one goroutine at a time; readers may share it between
// changes.
type State struct {
	form    Form
	cols    int
	on      *links
	p       []mat.Real   // n×cols: π
	layers  [][]mat.Real // H⁽⁰⁾ to H⁽ᴸ⁾; none for the minimiser
	relaxed              // of the minimiser
	changed
	pass
	watch func(v int32) // called after a row of the minimiser was looked at; nil for nobody
}

// changed are the rows that are to be looked at.
type changed struct {
	rows []int32 // whose π, or edges, are others
	is   []bool

	mark []uint32 // the round in which a row was seen
	now  uint32
}

// New is the state of f on g with π = p, n×cols, settled to the tolerance; see Settle.
func New(f Form, g *graph.Graph, p *mat.Dense, tolerance float64) (*State, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if p.Rows() != g.NumNodes() {
		return nil, fmt.Errorf("live: π of %d nodes for a graph of %d", p.Rows(), g.NumNodes())
	}
	on, err := linksOf(g)
	if err != nil {
		return nil, err
	}
	n := g.NumNodes()
	s := &State{form: f, cols: p.Cols(), on: on, p: wide(make([]mat.Real, n*p.Cols()))}
	p.Read(s.p)
	s.is, s.mark = make([]bool, n), make([]uint32, n)
	for v := range int32(n) {
		s.touch(v)
	}
	if f.Steps == 0 {
		s.begin()
	} else {
		for range f.Steps + 1 {
			s.layers = append(s.layers, wide(s.p))
		}
	}
	return s, s.Settle(tolerance)
}

// Nodes is how many there are, those without edges and features that Remove left included.
func (s *State) Nodes() int { return len(s.on.near) }

// Cols is how wide H is.
func (s *State) Cols() int { return s.cols }

// Edges is how many there are.
func (s *State) Edges() int { return s.on.count }

// Row is h_v; it is true until the next change.
func (s *State) Row(v int32) []mat.Real {
	if s.form.Steps > 0 {
		return s.row(s.layers[s.form.Steps], v)
	}
	root, h := s.form.root(s.on.degree[v]), make([]mat.Real, s.cols)
	for j, x := range row(s, s.z, v) {
		h[j] = mat.Real(root * x)
	}
	return h
}

// Pi is π_v; it is true until the next change.
func (s *State) Pi(v int32) []mat.Real { return s.row(s.p, v) }

// Neighbours are the neighbours of v, ascending; the slice is valid until the next change.
func (s *State) Neighbours(v int32) []int32 { return s.on.near[v] }

// Weight is the weight of the edge between u and v, 0 where there is none.
func (s *State) Weight(u, v int32) float64 {
	at, ok := s.on.find(u, v)
	if !ok {
		return 0
	}
	return float64(s.on.weightAt(u, at))
}

func (s *State) row(x []mat.Real, v int32) []mat.Real { return row(s, x, v) }

// row is row v of x, which is as wide as H.
func row[T any](s *State, x []T, v int32) []T { return x[int(v)*s.cols : (int(v)+1)*s.cols] }

// touch remembers that v is no longer what it was.
func (s *State) touch(v int32) {
	if !s.is[v] {
		s.is[v] = true
		s.rows = append(s.rows, v)
	}
}

// clip is the prox of η.
func (s *State) clip(h []mat.Real) {
	if s.form.Kind.NonNeg {
		for j := range h {
			h[j] = max(0, h[j])
		}
	}
}

// Add is a new node with π = p and no edges.
func (s *State) Add(p []mat.Real) int32 {
	v := int32(len(s.on.near))
	s.on.grow()
	s.p = append(s.p, p...)
	for l := range s.layers {
		s.layers[l] = append(s.layers[l], p...)
	}
	s.is, s.mark = append(s.is, false), append(s.mark, 0)
	if s.form.Steps == 0 {
		s.grow(p)
	}
	s.touch(v)
	return v
}

// TakeBack takes the last node away, as if it had never been added; it has no edges.
func (s *State) TakeBack() {
	v := int32(len(s.on.near) - 1)
	n := int(v) * s.cols
	s.on.shrink()
	s.p = s.p[:n]
	for l := range s.layers {
		s.layers[l] = s.layers[l][:n]
	}
	if s.form.Steps == 0 {
		s.z, s.q, s.slack = s.z[:n], s.q[:n], s.slack[:v]
	}
	if s.is[v] {
		at := slices.Index(s.rows, v)
		s.rows = slices.Delete(s.rows, at, at+1)
	}
	s.is, s.mark = s.is[:v], s.mark[:v]
}

// Move gives v another π.
func (s *State) Move(v int32, p []mat.Real) {
	copy(s.row(s.p, v), p)
	s.touch(v)
}

// Connect puts an edge of weight w between u and v, who have none.
func (s *State) Connect(u, v int32, w float64) error {
	if u == v {
		return fmt.Errorf("an edge from a node to itself")
	}
	if _, ok := s.on.find(u, v); ok {
		return fmt.Errorf("the edge is there already")
	}
	if err := checkWeight(w); err != nil {
		return err
	}
	s.on.connect(u, v, mat.Real(w))
	s.rewired(u, v, w)
	s.rewired(v, u, w)
	return nil
}

// Separate takes away the edge between u and v.
func (s *State) Separate(u, v int32) error {
	at, ok := s.on.find(u, v)
	if !ok {
		return fmt.Errorf("there is no such edge")
	}
	w := float64(s.on.weightAt(u, at))
	s.on.separate(u, v)
	s.rewired(u, v, -w)
	s.rewired(v, u, -w)
	return nil
}

// rewired touches v, who has by more of an edge to u, and those of its neighbours who go by its degree: where rows of
// H⁽ᴸ⁾ are divided by it, and where the bound was told another.
func (s *State) rewired(v, u int32, by float64) {
	told := s.on.rewire(v)
	s.touch(v)
	if s.form.Steps == 0 {
		s.rehear(v, u, by)
	}
	if s.form.Steps > 0 && s.form.Norm != graph.None || s.form.Steps == 0 && s.form.Norm == graph.None && told {
		for _, x := range s.on.near[v] {
			s.touch(x)
		}
	}
}

// pass is room for the rows of a round.
type pass struct {
	ptr      []int64
	idx      []int32
	val      []mat.Real
	sum, out []mat.Real
}

// product is sum = A x for the rows that ptr, idx and val describe; val is empty where all are 1.
func (s *State) product(rows, cols int, x []mat.Real) {
	s.sum = room(s.sum, rows*s.cols)
	a, err := kernel.NewCSR(rows, cols, s.ptr, s.idx, nil)
	if err != nil {
		panic(err) // links are in range
	}
	val := s.val
	if len(val) == 0 {
		val = nil
	}
	kernel.SpMM(s.sum, a, val, nil, x, s.cols, 1, 0)
}

// wide is a copy of rows with room for more. They are read at random, which huge pages make faster.
func wide[T any](x []T) []T {
	out := make([]T, len(x)+len(x)/8)
	hugepage.Advise(out)
	copy(out, x)
	return out[:len(x)]
}

// room is x with n entries.
func room(x []mat.Real, n int) []mat.Real {
	if cap(x) < n {
		return make([]mat.Real, n, n+n/4)
	}
	return x[:n]
}
