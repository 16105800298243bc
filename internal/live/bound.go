package live

import (
	"math"

	"github.com/bloomgml/bloom/graph"
)

// The Hessian of a quadratic energy, B = w + λ(D − A), or w + λ(I − S), has an inverse without negative entries.
// Where a column y > 0 has By > 0, row by row,
//
//	‖∇_v‖ ≤ ε (By)_v for all v    ⇒    ‖h_v − h*_v‖ ≤ ε y_v for all v
//
// y = 1 gives By = w: the same short gradient for all. But the gradient of a node with many neighbours moves it
// little, and its neighbours still less. So
//
//	y_v = 1 + β d̃_v/(1 + d̃_v)       By = w y_v + λβ Σ_u a_vu (1/(1 + d̃_u) − 1/(1 + d̃_v)) ≥ w − 5λβ/4,   β = w/2λ
//
// where d̃ is any column near the degrees: links.about. It lets a node with a thousand neighbours of ten edges have a
// gradient forty times as long. For S, y = √d and By = w√d.

// beta is β.
func (s *State) beta() float64 {
	if s.form.Lambda == 0 {
		return 0
	}
	return s.form.Weight / (2 * s.form.Lambda)
}

// reach is y_v.
func (s *State) reach(v int32) float64 {
	if s.form.Norm != graph.None {
		return s.form.root(s.on.degree[v])
	}
	d := s.on.about[v]
	return 1 + s.beta()*d/(1+d)
}

// allowance is (By)_v.
func (s *State) allowance(v int32) float64 {
	by := s.form.Weight * s.reach(v)
	if s.form.Norm == graph.None && s.form.Lambda > 0 {
		by += s.form.Weight / 2 * (s.on.shy[v] - s.on.degree[v]/(1+s.on.about[v]))
	}
	return by
}

// Bound is how far h_v can be from the row that Form asks for. It is infinite where ρ is flat far from p, since no
// gradient says much there, and 0 for L steps, which are taken exactly.
func (s *State) Bound(v int32) float64 {
	switch {
	case s.form.Steps > 0:
		return 0
	case s.form.Mu() == 0:
		return math.Inf(1)
	}
	return s.limit*s.reach(v) + half*s.longest
}

// half is how far a number is from the nearest Real, relative to it: what Row rounds off.
const half = 1.0 / (1 << 24)

// Widest is the largest Bound of all nodes, or more.
func (s *State) Widest() float64 {
	switch {
	case s.form.Steps > 0 || s.form.Mu() == 0:
		return s.Bound(0)
	case s.form.Norm != graph.None:
		return s.limit*math.Sqrt(max(1, s.on.most)) + half*s.longest
	}
	return s.limit*(1+s.beta()) + half*s.longest
}

// Longest is how long the longest row of the minimiser was, infinite after one that was not finite. Sums over
// neighbours are kept move by move, with a rounding error of the longest move among them, which Bound allows for.
func (s *State) Longest() float64 { return s.longest }

// Certify sums up what rows hear and measures all of them again, so that states and bounds forget rows, degrees and
// tolerances that are gone. It is for changes that were settled.
func (s *State) Certify(tolerance float64) error {
	s.on.reckon()
	if s.form.Steps == 0 {
		clear(s.q)
		for v := range int32(s.Nodes()) {
			s.on.spread(s.q, row(s, s.z, v), v)
		}
	}
	for range 2 { // rows that are on their way back count the first time
		s.limit, s.longest = 0, 0
		for v := range int32(s.Nodes()) {
			s.touch(v)
		}
		if err := s.Settle(tolerance); err != nil {
			return err
		}
	}
	return nil
}
