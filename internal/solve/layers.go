package solve

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// propagate recomputes the rows of every layer that a change reaches: the rows that were touched, and the neighbours
// of rows that moved in the layer below.
//
//	h⁽ˡ⁺¹⁾ = prox( a h⁽ˡ⁾ + b Σ_u a_uv s_u h_u⁽ˡ⁾ + c φ(h⁽ˡ⁾ − p) )      with descent.Local's a, b, c and s
func (s *State) propagate(ctx context.Context) error {
	slices.Sort(s.queue)
	s.out = resized(s.out, len(s.queue)*s.cols)
	for i, v := range s.queue {
		s.form.Start(span(s.out, i, s.cols), s.Pi(v))
	}
	moved := s.keep(s.queue, 0)
	for l := range s.form.steps {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rows := s.reached(moved)
		s.visited += len(rows)
		s.step(rows, l)
		if at := kernel.FirstNonFinite(s.out); at >= 0 {
			return &Unsettled{rows[at/s.cols], notFinite}
		}
		moved = s.keep(rows, l+1)
	}
	return nil
}

// keep writes the new rows to layer l, and lists the rows that changed.
func (s *State) keep(rows []int32, l int) []int32 {
	var moved []int32
	for i, v := range rows {
		o, k := s.owner(v)
		if h := span(s.out, i, s.cols); !slices.Equal(h, span(o.layers[l], k, s.cols)) {
			copy(span(s.layers[l], s.writable(v), s.cols), h)
			moved = append(moved, v)
		}
	}
	return moved
}

// reached returns the touched, rows and the neighbours of rows, ascending.
func (s *State) reached(rows []int32) []int32 {
	s.now++
	var out []int32
	take := func(v int32) {
		if s.mark[v] != s.now {
			s.mark[v] = s.now
			out = append(out, v)
		}
	}
	for _, v := range s.queue {
		take(v)
	}
	for _, v := range rows {
		take(v)
		for _, u := range s.list(v).near {
			take(u)
		}
	}
	slices.Sort(out)
	return out
}

// step leaves the step of rows, which are distinct, from layer l in out. Their rows and their neighbours' rows are
// gathered first.
func (s *State) step(rows []int32, l int) {
	s.now++
	s.at = resized(s.at, len(s.mark))
	b := &s.block
	b.Ptr, b.Idx, b.Weight, b.Degree = append(b.Ptr[:0], 0), b.Idx[:0], b.Weight[:0], b.Degree[:0]
	s.x, s.scale, s.pi = s.x[:0], s.scale[:0], s.pi[:0]
	place := func(v int32) int32 {
		if s.mark[v] != s.now {
			o, k := s.owner(v)
			s.mark[v], s.at[v] = s.now, int32(len(s.scale))
			s.x = append(s.x, span(o.layers[l], k, s.cols)...)
			s.scale = append(s.scale, mat.Real(s.form.Scale(o.of[k].degree)))
		}
		return s.at[v]
	}
	for _, v := range rows {
		place(v)
	}
	for _, v := range rows {
		of := s.list(v)
		for at, u := range of.near {
			b.Idx, b.Weight = append(b.Idx, place(u)), append(b.Weight, mat.Real(of.weightAt(at)))
		}
		b.Ptr, b.Degree = append(b.Ptr, int64(len(b.Idx))), append(b.Degree, of.degree)
		s.pi = append(s.pi, s.Pi(v)...)
	}
	s.out = resized(s.out, len(rows)*s.cols)
	if s.stepper == nil {
		s.stepper, _ = NewStepper(s.form.Local) // check has looked at the rate
	}
	if err := s.stepper.Step(s.out, s.x, s.pi, s.scale, s.cols, *b); err != nil {
		panic(err) // indices are in range
	}
}

// pass has the rows of a round of L steps.
type pass struct {
	stepper *Stepper // nil before the first
	block   Block
	x, pi   []mat.Real // rows of the layer below, also of neighbours; π
	scale   []mat.Real // of the rows in x
	at      []int32    // the places of nodes in x
	out     []mat.Real
	q       []float64 // see pulled
}
