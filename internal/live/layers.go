package live

import (
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// propagate computes the rows of every layer again that a change reaches: those that were touched, and the neighbours
// of rows that moved in the layer below.
//
//	h⁽ˡ⁺¹⁾ = prox( (1 − r λ d s²) h⁽ˡ⁾ + r m − r w φ(h⁽ˡ⁾ − p) )      m = λ s_v Σ_u a_uv s_u h_u⁽ˡ⁾
func (s *State) propagate() error {
	slices.Sort(s.rows)
	for _, v := range s.rows {
		copy(s.row(s.layers[0], v), s.row(s.p, v))
		s.clip(s.row(s.layers[0], v))
	}
	moved := s.rows
	for l := range s.form.Steps {
		rows := s.reached(moved)
		s.visited += len(rows)
		s.step(rows, s.layers[l])
		if at := kernel.FirstNonFinite(s.out); at >= 0 {
			return &NotFinite{Node: rows[at/s.cols]}
		}
		moved = s.keep(rows, s.layers[l+1])
	}
	return nil
}

// keep writes the new rows to x, and lists those that are not what they were.
func (s *State) keep(rows []int32, x []mat.Real) []int32 {
	var moved []int32
	for i, v := range rows {
		if h := s.out[i*s.cols : (i+1)*s.cols]; !slices.Equal(h, s.row(x, v)) {
			copy(s.row(x, v), h)
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
	for _, v := range s.rows {
		take(v)
	}
	for _, v := range rows {
		take(v)
		for _, u := range s.on.near[v] {
			take(u)
		}
	}
	slices.Sort(out)
	return out
}

// step leaves the step of rows from x in out.
func (s *State) step(rows []int32, x []mat.Real) {
	s.hear(rows, x)
	n := len(rows)
	s.out = room(s.out, n*s.cols)
	a, b, c := make([]mat.Real, n), make([]mat.Real, n), make([]mat.Real, n)
	h, p := make([]mat.Real, n*s.cols), make([]mat.Real, n*s.cols)
	for i, v := range rows {
		own := s.form.own(s.on.degree[v])
		rate := s.form.Rate(2 * own)
		a[i], b[i], c[i] = mat.Real(1-rate*own), mat.Real(rate), mat.Real(-rate*s.form.Weight)
		copy(h[i*s.cols:], s.row(x, v))
		copy(p[i*s.cols:], s.row(s.p, v))
	}
	kernel.Step(s.out, h, s.sum, p, a, b, c, n, s.cols, s.form.Kind)
}

// hear leaves λ s_v Σ_u a_uv s_u x_u of rows in sum.
func (s *State) hear(rows []int32, x []mat.Real) {
	s.ptr, s.idx, s.val = append(s.ptr[:0], 0), s.idx[:0], s.val[:0]
	for _, v := range rows {
		s.idx = append(s.idx, s.on.near[v]...)
		s.ptr = append(s.ptr, int64(len(s.idx)))
		own := s.form.Lambda * s.form.scale(s.on.degree[v])
		for at, u := range s.on.near[v] {
			s.val = append(s.val, mat.Real(own*s.form.scale(s.on.degree[u])*float64(s.on.weightAt(v, at))))
		}
	}
	s.product(len(rows), s.Nodes(), x)
}
