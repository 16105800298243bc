package live

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// relaxed is what the minimiser is kept by. A row stands as z_v = s_v h_v, which is what its neighbours hear of it, so
// that a change of its degree concerns nobody else:
//
//	∇_v = k_v h_v − λ s_v q_v + w φ(h_v − p_v)      q_v = Σ_u a_uv z_u,   k_v = λ d_v s_v²
//
// q is kept up to date move by move, the gradient is not: while the neighbours of a row move by δ, it becomes at most
// λ s_v a_uv ‖δ_u‖ longer, and is measured when that may be too long.
type relaxed struct {
	z, q  []float64 // n×cols, in double precision: then nothing of a gradient is rounding
	slack []float64 // how far the neighbours of v may move, Σ a_uv ‖δ_u‖, before v must be looked at
	move  []float64 // cols: the last move

	limit   float64 // the largest ‖∇_v‖/allowance(v) that Settle leaves
	longest float64 // no row of H was ever longer
	visited int     // rows that the last Settle solved for
	told    int     // neighbours whom it told
}

// begin is H = prox(π), with its sums.
func (s *State) begin() {
	s.z, s.q = wide(make([]float64, len(s.p))), wide(make([]float64, len(s.p)))
	s.slack = make([]float64, s.Nodes())
	s.move = make([]float64, s.cols)
	for v := range int32(s.Nodes()) {
		s.place(v)
	}
	for v := range int32(s.Nodes()) {
		s.on.spread(s.q, row(s, s.z, v), v)
	}
}

// grow is a row more, without edges.
func (s *State) grow(p []mat.Real) {
	v := int32(len(s.slack))
	s.z, s.q, s.slack = append(s.z, s.move...), append(s.q, s.move...), append(s.slack, 0)
	clear(s.heard(v))
	s.place(v)
}

// place puts v where π alone wants it.
func (s *State) place(v int32) {
	root, p := s.form.root(s.on.degree[v]), s.row(s.p, v)
	for j, z := 0, row(s, s.z, v); j < len(z); j++ {
		z[j] = s.form.prox(float64(p[j])) / root
	}
}

// heard is q_v.
func (s *State) heard(v int32) []float64 { return row(s, s.q, v) }

// rehear adds by z_u to q_v: the edge between them weighs so much more.
func (s *State) rehear(v, u int32, by float64) {
	q, z := s.heard(v), row(s, s.z, u)
	for j := range q {
		q[j] += by * z[j]
	}
}

// placed is a row with the numbers of its energy.
type placed struct {
	p          []mat.Real
	z, q       []float64
	root, k, w float64
	by         float64 // λ s_v
}

// placed finds them.
func (s *State) placed(v int32) placed {
	root := s.form.root(s.on.degree[v])
	return placed{z: row(s, s.z, v), p: s.row(s.p, v), q: s.heard(v), root: root, k: s.form.own(s.on.degree[v]),
		w: s.form.Weight, by: s.form.Lambda / root}
}

// rounding is the relative error of a few operations in double precision.
const rounding = 1.0 / (1 << 48)

// most is how long a gradient may be: what no step can take away is rounding; size is the length of h.
func (at placed) most(size, tolerance float64) float64 {
	return max(tolerance, rounding*(at.k+at.w)*size)
}

// gradient is the length of ∇_v, and of h_v.
func (s *State) gradient(at placed) (left, size float64) {
	if s.form.linear() {
		return at.gradient()
	}
	z, p := at.z[:len(at.q)], at.p[:len(at.q)]
	square := s.form.Kind.Phi == mat.PhiSquare
	for j, q := range at.q {
		h := at.root * z[j]
		r := h - float64(p[j])
		if !square {
			r = s.form.phi(r)
		}
		g := at.k*h - at.by*q + at.w*r
		if s.form.Kind.NonNeg && h == 0 {
			g = min(g, 0)
		}
		left += g * g
		size += h * h
	}
	return math.Sqrt(left), math.Sqrt(size)
}

// gradient is State.gradient of a quadratic energy without η, even and odd entries in sums of their own, which need not
// wait for each other.
func (at placed) gradient() (left, size float64) {
	z, p, q := at.z, at.p[:len(at.z)], at.q[:len(at.z)]
	k, by, w, root := at.k+at.w, at.by, at.w, at.root
	var left1, size1 float64
	j := 1
	for ; j < len(z) && j < len(p) && j < len(q); j += 2 {
		h, h1 := root*z[j-1], root*z[j]
		g, g1 := k*h-by*q[j-1]-w*float64(p[j-1]), k*h1-by*q[j]-w*float64(p[j])
		left, left1 = left+g*g, left1+g1*g1
		size, size1 = size+h*h, size1+h1*h1
	}
	if j == len(z) { // an odd number of them
		h := root * z[j-1]
		g := k*h - by*q[j-1] - w*float64(p[j-1])
		left, size = left+g*g, size+h*h
	}
	return math.Sqrt(left + left1), math.Sqrt(size + size1)
}

// solve finds where the energy of a row is least, and returns how far z has to go, which is left in move, and the
// length of h. Nothing but rounding is left of the gradient then.
func (s *State) solve(at placed) (moved, size float64) {
	z, p, move := at.z[:len(at.q)], at.p[:len(at.q)], s.move[:len(at.q)]
	square := s.form.Kind.Phi == mat.PhiSquare && !s.form.Kind.NonNeg
	inverse, back := 1/(at.k+at.w), 1/at.root
	for j, q := range at.q {
		var h float64
		if square {
			h = (at.by*q + at.w*float64(p[j])) * inverse
		} else {
			h = s.form.solve(at.by*q, float64(p[j]), at.k)
		}
		h *= back
		move[j] = h - z[j]
		moved += move[j] * move[j]
		size += h * h
	}
	return math.Sqrt(moved), at.root * math.Sqrt(size)
}

// tell makes the move of v and lets its neighbours hear it; those come next who can no longer be sure of their place.
func (s *State) tell(v int32, moved float64) {
	for j, z := 0, row(s, s.z, v); j < len(z); j++ {
		z[j] += s.move[j]
	}
	s.on.spread(s.q, s.move, v)
	near := s.on.near[v]
	s.told += len(near)
	for at, u := range near {
		if s.slack[u] -= float64(s.on.weightAt(v, at)) * moved; s.slack[u] < 0 {
			s.touch(u)
		}
	}
}
