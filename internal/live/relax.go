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
	z     []mat.Real // n×cols
	q     []float64  // n×cols, in double precision, so that many small moves leave no trace
	slack []float64  // how far the neighbours of v may move, Σ a_uv ‖δ_u‖, before v must be looked at
	move  []float64  // cols: the last move

	limit   float64 // the largest ‖∇_v‖/allowance(v) that Settle leaves
	visited int     // rows that the last Settle solved for
}

// begin is H = prox(π), with its sums.
func (s *State) begin() {
	s.z, s.q, s.slack = wide(s.p), wide(make([]float64, len(s.p))), make([]float64, s.Nodes())
	s.move = make([]float64, s.cols)
	for v := range int32(s.Nodes()) {
		root := mat.Real(s.form.root(s.on.degree[v]))
		z := s.row(s.z, v)
		s.clip(z)
		for j := range z {
			z[j] /= root
		}
	}
	for v := range int32(s.Nodes()) {
		for at, u := range s.on.near[v] {
			s.rehear(v, u, float64(s.on.weightAt(v, at)))
		}
	}
}

// grow is a row more, without edges.
func (s *State) grow(p []mat.Real) {
	v := int32(len(s.slack))
	s.z, s.q, s.slack = append(s.z, p...), append(s.q, s.move...), append(s.slack, 0)
	s.clip(s.row(s.z, v))
	clear(s.heard(v))
}

// heard is q_v.
func (s *State) heard(v int32) []float64 { return s.q[int(v)*s.cols : (int(v)+1)*s.cols] }

// rehear adds by z_u to q_v: the edge between them weighs so much more.
func (s *State) rehear(v, u int32, by float64) {
	q, z := s.heard(v), s.row(s.z, u)[:s.cols]
	for j := range q {
		q[j] += by * float64(z[j])
	}
}

// placed is a row with the numbers of its energy.
type placed struct {
	z, p       []mat.Real
	q          []float64
	root, k, w float64
	by         float64 // λ s_v
}

// placed finds them.
func (s *State) placed(v int32) placed {
	root := s.form.root(s.on.degree[v])
	return placed{z: s.row(s.z, v), p: s.row(s.p, v), q: s.heard(v), root: root, k: s.form.own(s.on.degree[v]),
		w: s.form.Weight, by: s.form.Lambda / root}
}

// half is how far a number is from the nearest Real, relative to it.
const half = 1.0 / (1 << 24)

// most is how long a gradient may be: what no step can take away is rounding of h, whose length is size.
func (at placed) most(size, tolerance float64) float64 {
	return max(tolerance, 2*half*(at.k+at.w)*size)
}

// gradient is the length of ∇_v, and of h_v.
func (s *State) gradient(at placed) (left, size float64) {
	z, p := at.z[:len(at.q)], at.p[:len(at.q)]
	square := s.form.Kind.Phi == mat.PhiSquare
	for j, q := range at.q {
		h := at.root * float64(z[j])
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

// solve moves a row to where its energy is least, the move being left in move, and returns how far z went, how long the
// gradient still is, by rounding, and the length of h.
func (s *State) solve(at placed) (moved, left, size float64) {
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
		now := mat.Real(h * back)
		move[j] = float64(now) - float64(z[j])
		z[j] = now
		h -= at.root * float64(now)
		moved += move[j] * move[j]
		left += h * h
		size += float64(now) * float64(now)
	}
	return math.Sqrt(moved), (at.k + at.w) * math.Sqrt(left), at.root * math.Sqrt(size)
}

// tell lets the neighbours of v hear its move, and those come next who can no longer be sure of their place.
func (s *State) tell(v int32, moved float64) {
	for at, u := range s.on.near[v] {
		q, move := s.heard(u), s.move[:s.cols]
		if a := float64(s.on.weightAt(v, at)); a == 1 {
			s.slack[u] -= moved
			for j := range q {
				q[j] += move[j]
			}
		} else {
			s.slack[u] -= a * moved
			for j := range q {
				q[j] += a * move[j]
			}
		}
		if s.slack[u] < 0 {
			s.touch(u)
		}
	}
}
