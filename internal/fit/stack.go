package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Labels that channels are first judged by, how many channels are then judged by all labels, and the side of a
// regression (labels or columns, whichever are fewer) above which only the best is: its cost is cubic.
const (
	few    = 400
	judged = 5
	large  = 700
)

// screen tries every channel on a sample of the labels, and the best ones on all labels. If the sample is all labels,
// nothing is computed twice.
func (s *solver) screen() {
	rows, all := s.sample(few), s.sample(len(s.Rows))
	var tried []member
	for _, c := range s.channels {
		tried = append(tried, s.judge(c, rows))
	}
	slices.SortStableFunc(tried, func(a, b member) int { return cmp.Compare(a.error, b.error) })
	for n, m := range tried[:min(judged, len(tried))] {
		if n > 0 && min(len(all), s.columns(m.channel)) > large {
			continue
		}
		if len(rows) < len(all) {
			m = s.judge(m.channel, all)
		}
		s.members = append(s.members, m)
	}
}

// judge returns the regression of a channel on some of the labels, as good as it can be.
func (s *solver) judge(c channel, rows []int) member {
	m, ok := s.lesser(c, rows)
	if !ok {
		m = member{channel: c, ridge: s.regress(c, rows)}
		m.rho, m.residuals = m.ridge.best()
	}
	m.error = sumSquares(m.residuals) / float64(len(rows))
	return m
}

// shrunk is the number of labels up to which weights of members are held back to equal ones: left-out errors of few
// labels are only roughly those of other nodes. On random labels of Cora and of squirrel (20 to 120 a class) it and
// members that are never unions of channels gain 0.1 to 1.4 points of accuracy, or lose less than their error.
const shrunk = 100

// stack weighs the members: not negative, of sum 1, with the least left-out squared error. Members without weight go.
//
//	min_w ‖Σ_m w_m e_m‖² + s ‖w‖²        e_m: left-out residuals, t×k; s: the mean of ‖e_m‖² times shrunk/t
func (s *solver) stack() {
	n := len(s.members)
	gram := make([]float64, n*n)
	for i, a := range s.members {
		for j, b := range s.members {
			for r, e := range a.residuals {
				gram[i*n+j] += e * b.residuals[r]
			}
		}
	}
	mean := 0.0
	for i := range n {
		mean += gram[i*n+i] / float64(n)
	}
	for i := range n {
		gram[i*n+i] += shrunk / float64(len(s.Rows)) * mean
	}
	w := simplex(gram, n)
	kept := s.members[:0]
	for i, m := range s.members {
		if m.weight = w[i]; m.weight > 0 {
			kept = append(kept, m)
		}
	}
	s.members = kept
}

// simplex minimises wᵀ G w over w ≥ 0, Σw = 1, for a positive semidefinite G, by moving weight between the two
// members whose exchange gains most, until none gains. Weights below 1 % are given to the others.
func simplex(g []float64, n int) []float64 {
	w := make([]float64, n)
	w[0] = 1
	slope := func(i int) (sum float64) {
		for j := range n {
			sum += g[i*n+j] * w[j]
		}
		return sum
	}
	for range 1000 {
		to, from := 0, -1
		for i := range n {
			if slope(i) < slope(to) {
				to = i
			}
			if w[i] > 0 && (from < 0 || slope(i) > slope(from)) {
				from = i
			}
		}
		curve := g[to*n+to] + g[from*n+from] - 2*g[to*n+from]
		if to == from || curve <= 0 {
			break
		}
		step := min(w[from], (slope(from)-slope(to))/curve)
		if step < 1e-9 {
			break
		}
		w[to], w[from] = w[to]+step, w[from]-step
	}
	total := 0.0
	for i := range w {
		if w[i] < 0.01 {
			w[i] = 0
		}
		total += w[i]
	}
	for i := range w {
		w[i] /= math.Max(total, 1e-300)
	}
	return w
}

// answers returns the answers for all nodes, n×k. For every atom a the members' weights are added up first, so at most
// k columns go through its filter:
//
//	answer_v = μ + Σ_a c_a(v) (f_a(S) (X W_a))_v
func (s *solver) answers() []float64 {
	n, k := s.on.n, s.Outputs
	out := make([]float64, n*k)
	for v := range n {
		copy(out[v*k:], s.mean)
	}
	for _, m := range s.members {
		if s.addReduced(out, m) {
			continue
		}
		w := m.weights()
		for _, number := range m.atoms {
			s.addAnswer(out, &s.atoms[number], m, w[:s.atoms[number].source.cols*k], k)
			w = w[s.atoms[number].source.cols*k:]
		}
		for i := range out {
			out[i] += m.weight * w[i%k]
		}
	}
	return out
}

// weights returns W of a member.
func (m member) weights() []float64 {
	if m.alpha != nil {
		return m.ridge.ofAlpha(m.alpha)
	}
	return m.ridge.weights(m.rho)
}

// addAnswer adds what an atom of a member says with weights w, cols×k.
func (s *solver) addAnswer(out []float64, a *atom, m member, w []float64, k int) {
	x := a.source.times(w, k)
	s.on.apply(x, []filter{a.filter}, func(_ int, h *mat.Dense) {
		for i, u := range h.Slice() {
			v := int32(i / k)
			out[i] += m.weight * a.factor(v, m.unit, len(m.atoms)) * float64(u)
		}
	})
}
