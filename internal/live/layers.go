package live

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// propagate computes the rows of every layer again that a change reaches: those that were touched, and the neighbours
// of rows that moved in the layer below.
//
//	h⁽ˡ⁺¹⁾ = prox( a h⁽ˡ⁾ + b Σ_u a_uv s_u h_u⁽ˡ⁾ + c φ(h⁽ˡ⁾ − p) )      with descent.Local's a, b, c and s
func (s *State) propagate(ctx context.Context) error {
	slices.Sort(s.queue)
	s.out = room(s.out, len(s.queue)*s.cols)
	for i, v := range s.queue {
		for j, p := range s.Pi(v) {
			s.out[i*s.cols+j] = mat.Real(kernel.ProxOf(s.form.kind, float64(p)))
		}
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
			return notFinite(rows[at/s.cols])
		}
		moved = s.keep(rows, l+1)
	}
	return nil
}

// keep writes the new rows to layer l, and lists those that are not what they were.
func (s *State) keep(rows []int32, l int) []int32 {
	var moved []int32
	for i, v := range rows {
		o, k := s.owner(v)
		if h := span(s.out, i, s.cols); !slices.Equal(h, span(o.layers[l], k, s.cols)) {
			copy(span(s.layers[l], s.take(v), s.cols), h)
			moved = append(moved, v)
		}
	}
	return moved
}

// reached are the touched, rows and the neighbours of rows, ascending.
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

// step leaves the step of rows from layer l in out.
func (s *State) step(rows []int32, l int) {
	s.hear(rows, l)
	n := len(rows)
	s.out = room(s.out, n*s.cols)
	a, b, c := make([]mat.Real, n), make([]mat.Real, n), make([]mat.Real, n)
	h, p := make([]mat.Real, n*s.cols), make([]mat.Real, n*s.cols)
	for i, v := range rows {
		o, k := s.owner(v)
		own, pair, pull, _ := s.form.Coefs(o.of[k].degree)
		a[i], b[i], c[i] = mat.Real(own), mat.Real(pair), mat.Real(pull)
		copy(h[i*s.cols:], span(o.layers[l], k, s.cols))
		copy(p[i*s.cols:], span(o.p, k, s.cols))
	}
	kernel.Step(s.out, h, s.messages, p, a, b, c, n, s.cols, s.form.kind)
}

// hear leaves Σ_u a_uv s_u h_u⁽ˡ⁾ of rows in messages. The rows of their neighbours are brought together first.
func (s *State) hear(rows []int32, l int) {
	s.now++
	s.ptr, s.idx, s.val, s.near = append(s.ptr[:0], 0), s.idx[:0], s.val[:0], s.near[:0]
	s.at = resized(s.at, len(s.mark))
	for _, v := range rows {
		of := s.list(v)
		for at, u := range of.near {
			o, k := s.owner(u)
			if s.mark[u] != s.now {
				s.mark[u], s.at[u] = s.now, int32(len(s.near)/s.cols)
				s.near = append(s.near, span(o.layers[l], k, s.cols)...)
			}
			s.idx = append(s.idx, s.at[u])
			s.val = append(s.val, mat.Real(s.form.Scale(o.of[k].degree)*float64(of.weightAt(at))))
		}
		s.ptr = append(s.ptr, int64(len(s.idx)))
	}
	s.messages = room(s.messages, len(rows)*s.cols)
	a, err := kernel.NewCSR(len(rows), len(s.near)/s.cols, s.ptr, s.idx, nil)
	if err != nil {
		panic(err) // places are in range
	}
	kernel.SpMM(s.messages, a, s.val, nil, s.near, s.cols, 1, 0)
}

// pass is room for the rows of a round.
type pass struct {
	ptr  []int64
	idx  []int32
	val  []mat.Real
	near []mat.Real // rows of neighbours
	at   []int32    // where they are, by nodes

	messages, out []mat.Real
}

// room is x with n entries.
func room(x []mat.Real, n int) []mat.Real {
	if cap(x) < n {
		return make([]mat.Real, n, n+n/4)
	}
	return x[:n]
}
