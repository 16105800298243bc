package live

import (
	"math"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// A row of the minimiser is stored as z_v = s_v h_v, which its neighbours read, so a change of its degree affects no
// other node:
//
//	∇_v = k_v h_v − λ s_v q_v + w φ(h_v − p_v)      q_v = Σ_u a_uv z_u,   k_v = λ d_v s_v²
//
// The gradient is not kept: while the neighbours of a row move by δ, it becomes at most λ s_v a_uv ‖δ_u‖ longer, and is
// measured when that may be too long, from the rows of the neighbours as they are then. So nothing that was ever
// rounded off is still there.

// startAtProx sets H = prox(π).
func (s *State) startAtProx() {
	s.z = wide(make([]float64, len(s.p)))
	for i := range s.nodes {
		s.place(i)
	}
}

// place puts row i where π alone wants it.
func (s *State) place(i int) {
	root, p, square := s.form.root(s.of[i].degree), span(s.p, i, s.cols), 0.0
	for j, z := 0, span(s.z, i, s.cols); j < len(z); j++ {
		z[j] = s.form.Prox(float64(p[j])) / root
		square += z[j] * z[j]
	}
	s.of[i].size = math.Sqrt(square)
}

// placed is a row with the numbers of its energy.
type placed struct {
	p          []mat.Real
	z, q       []float64
	root, k, w float64
	by         float64 // λ s_v
	n          int     // neighbours
	heard      float64 // Σ_u a_uv ‖z_u‖
	shy        float64 // Σ_u a_uv/(1 + d̃_u); see allowed
}

// placed finds them, of node v; q is valid until the next call.
func (s *State) placed(v int32) placed {
	o, i := s.owner(v)
	l := &o.of[i]
	root := s.form.root(l.degree)
	at := placed{z: span(o.z, i, s.cols), p: span(o.p, i, s.cols), q: s.q, root: root, k: s.form.Own(l.degree),
		w: s.form.Weight, by: s.form.Lambda / root, n: len(l.near)}
	for k, u := range l.near {
		a, other := float64(l.weightAt(k)), s.list(u)
		at.heard += a * other.size
		at.shy += a / (1 + other.about)
	}
	clear(s.q)
	s.sum(s.q, l)
	return at
}

// sum adds a_uv z_u of the neighbours in l to q.
func (s *State) sum(q []float64, l *list) {
	if s.base == nil {
		l.gather(q, s.z)
		return
	}
	if l.weight == nil {
		s.ours, s.theirs = s.ours[:0], s.theirs[:0]
		for _, u := range l.near {
			if k := s.slot[u]; k > 0 {
				s.ours = append(s.ours, k-1)
			} else {
				s.theirs = append(s.theirs, u)
			}
		}
		kernel.GatherSum(q, s.z, s.ours)
		kernel.GatherSum(q, s.base.z, s.theirs)
		return
	}
	for at, u := range l.near {
		o, k := s.owner(u)
		a := float64(l.weight[at])
		for j, z := range span(o.z, k, s.cols) {
			q[j] += a * z
		}
	}
}

// ulp is half the distance from 1 to the next number: what an operation rounds off at most, relative to its result.
const ulp = 0x1p-53

// rounding returns the maximum error of the gradient that gradient measures, or that solve leaves; size is the length
// of h. A sum of n products rounds off at most n + 1 ulps of what their lengths are together. Up to sixteen operations
// more stand between a gradient and the numbers that are kept, on terms of which p is no longer than the others
// together.
func (at *placed) rounding(size float64) float64 {
	return ulp * (64*(at.k+at.w)*size + float64(at.n+64)*at.by*at.heard)
}

// gradient returns the length of ∇_v, and of h_v.
func (s *State) gradient(at *placed) (left, size float64) {
	if s.form.Linear() {
		return at.gradient()
	}
	z, p := at.z[:len(at.q)], at.p[:len(at.q)]
	square := s.form.Kind.Phi == mat.PhiSquare
	for j, q := range at.q {
		h := at.root * z[j]
		r := h - float64(p[j])
		if !square {
			r = s.form.Phi(r)
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

// gradient works like State.gradient of a quadratic energy without η, even and odd entries in sums of their own, which
// need not wait for each other.
func (at *placed) gradient() (left, size float64) {
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

// scratch is room for one row, and for the rows of a round of L steps.
type scratch struct {
	q, next      []float64 // cols: what a row hears, and where its z goes
	ours, theirs []int32   // neighbours, by whose rows they are
	pass
}

func newScratch(cols int) scratch {
	return scratch{q: make([]float64, cols), next: make([]float64, cols)}
}

// solve finds the minimum of the energy of a row, and leaves z there in next. It returns the distance moved and the
// length of z. Only rounding remains of the gradient there.
func (s *State) solve(at *placed) (moved, size float64) {
	z, p, next := at.z[:len(at.q)], at.p[:len(at.q)], s.next[:len(at.q)]
	square := s.form.Linear()
	inverse, back := 1/(at.k+at.w), 1/at.root
	for j, q := range at.q {
		var h float64
		if square {
			h = (at.by*q + at.w*float64(p[j])) * inverse
		} else {
			h = s.form.Minimise(at.by*q, float64(p[j]), at.k)
		}
		next[j] = h * back
		move := next[j] - z[j]
		moved += move * move
		size += next[j] * next[j]
	}
	return math.Sqrt(moved), math.Sqrt(size)
}

// moveRow makes the move of v to next, where z has a size; neighbours whose bound no longer holds are queued.
func (s *State) moveRow(v int32, moved, size float64) {
	i := s.writable(v)
	copy(span(s.z, i, s.cols), s.next)
	l := &s.of[i]
	l.size = size
	s.told += len(l.near)
	for at, u := range l.near {
		x := s.room(u)
		if *x -= float64(l.weightAt(at)) * moved; *x < 0 {
			s.touch(u)
		}
	}
}
