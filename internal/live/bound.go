package live

import (
	"math"

	"github.com/bloomgml/bloom/graph"
)

// The Hessian of a quadratic energy, B = w + λ(D − A), or w + λ(I − S), has an inverse without negative entries. If a
// column y > 0 has By > 0, row by row,
//
//	‖∇_v‖ ≤ ε (By)_v for all v    ⇒    ‖h_v − h*_v‖ ≤ ε y_v for all v
//
// y = 1 gives By = w: the same short gradient for all. But the gradient of a node with many neighbours moves it
// little, and its neighbours still less. So
//
//	y_v = 1 + β d̃_v/(1 + d̃_v)       By = w y_v + λβ Σ_u a_vu (1/(1 + d̃_u) − 1/(1 + d̃_v)) ≥ w − 5λβ/4,   β = w/2λ
//
// where d̃ is any column near the degrees: list.about. It lets a node with a thousand neighbours of ten edges have a
// gradient forty times as long. For S, y = √d and By = w√d.
//
// ε is the tolerance, of which the gradient that is measured and all that may have been rounded off on the way to it
// (placed.rounding) use up no more than there is. So the bound stays what it is whatever comes and goes; what is so
// large that rounding alone is more than the tolerance is refused (Unsettled).

// beta returns β.
func (s *State) beta() float64 {
	if s.form.Lambda == 0 {
		return 0
	}
	return s.form.Weight / (2 * s.form.Lambda)
}

// reach is y of the node whose edges are l.
func (s *State) reach(l *list) float64 {
	if s.form.Norm != graph.None {
		return s.form.root(l.degree)
	}
	return 1 + s.beta()*l.about/(1+l.about)
}

// allowed returns ε (By) of the node whose edges are l, where shy is Σ_u a_vu/(1 + d̃_u), less what is rounded off in
// computing it, and in lengths: one ulp per column or neighbour.
func (s *State) allowed(l *list, shy float64) float64 {
	by := s.form.Weight * s.reach(l)
	if s.form.Norm == graph.None && s.form.Lambda > 0 {
		by += s.form.Weight / 2 * (shy - l.degree/(1+l.about))
	}
	return s.tolerance * by * (1 - 0x1p-20)
}

// Bound returns the maximum distance of h_v from the exact row, including the rounding of Row. It is infinite if ρ is
// flat far from p, since the gradient says little there. It is 0 for L steps, which are taken exactly, and for rows of
// Put.
func (s *State) Bound(v int32) float64 {
	if len(s.layers) > 0 || s.form.mu() == 0 {
		return s.unbound()
	}
	l := s.list(v)
	return s.tolerance*s.reach(l) + half*s.form.root(l.degree)*l.size
}

// unbound returns the bound of states that no tolerance is for.
func (s *State) unbound() float64 {
	if len(s.layers) > 0 {
		return 0
	}
	return math.Inf(1)
}

// half is the maximum relative distance of a number from the nearest Real, and a little more.
const half = (1 + 0x1p-20) / (1 << 24)

// Widest returns the largest Bound of all nodes, or more.
func (s *State) Widest() float64 {
	switch {
	case len(s.layers) > 0 || s.form.mu() == 0:
		return s.unbound()
	case s.form.Norm != graph.None:
		return s.tolerance*math.Sqrt(max(1, s.most)) + half*s.longest
	}
	return s.tolerance*(1+s.beta()) + half*s.longest
}
