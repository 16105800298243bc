package fit

import "math"

// Example is what a logistic regression learns from: a row of terms and whether it is so.
type Example struct {
	Terms []float64
	Is    bool
	Group int32
}

// Weights belong to a logistic regression: one for every term, then the constant.
type Weights []float64

// Odds returns the log odds of terms.
func (w Weights) Odds(terms []float64) float64 {
	z := w[len(terms)]
	for i, x := range terms {
		z += w[i] * x
	}
	return z
}

// Probability returns σ(Odds).
func (w Weights) Probability(terms []float64) float64 { return Sigmoid(w.Odds(terms)) }

// Sigmoid returns 1/(1 + exp(−z)).
func Sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// held is how many examples at odds of 1 it takes to move the weights of a group as far from those of all groups as
// the examples would have them: the ridge of Logistic.
const held = 2

// Logistic returns the weights of n groups (Platt 1999, with a ridge that draws them to those of all groups together):
//
//	w   = argmin Σ_i ℓ(y_i w·x_i) + ε ‖w‖²             over all examples
//	w_g = argmin Σ_{i ∈ g} ℓ(y_i w_g·x_i) + held/2 ‖w_g − w‖²
//
// A group without examples has w. Terms should be of about the size 1.
func Logistic(examples []Example, n int) (all Weights, groups []Weights) {
	if len(examples) == 0 {
		return nil, nil
	}
	zero := make(Weights, len(examples[0].Terms)+1)
	all = newton(examples, zero, 1e-3)
	lists := make([][]Example, n)
	for _, x := range examples {
		lists[x.Group] = append(lists[x.Group], x)
	}
	groups = make([]Weights, n)
	for g, list := range lists {
		groups[g] = newton(list, all, held)
	}
	return all, groups
}

// newton minimises Σ ℓ + ridge/2 ‖w − near‖² by damped Newton steps, from near.
func newton(list []Example, near Weights, ridge float64) Weights {
	k := len(near)
	w := append(Weights(nil), near...)
	loss := func(w Weights) float64 {
		sum := 0.0
		for j := range w {
			sum += ridge / 2 * (w[j] - near[j]) * (w[j] - near[j])
		}
		for _, x := range list {
			z := w.Odds(x.Terms)
			if x.Is {
				z = -z
			}
			sum += math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
		}
		return sum
	}
	now := loss(w)
	for range passes {
		h, g := make([][]float64, k), make([]float64, k)
		for j := range k {
			h[j] = make([]float64, k)
			h[j][j], g[j] = ridge, ridge*(w[j]-near[j])
		}
		for _, x := range list {
			p := w.Probability(x.Terms)
			off := p
			if x.Is {
				off--
			}
			for j := range k {
				g[j] += off * term(x.Terms, j)
				for l := range k {
					h[j][l] += p * (1 - p) * term(x.Terms, j) * term(x.Terms, l)
				}
			}
		}
		step := solved(h, g)
		next, t := make(Weights, k), 1.0
		for ; t > 1e-6; t /= 2 {
			for j := range k {
				next[j] = w[j] - t*step[j]
			}
			if loss(next) <= now {
				break
			}
		}
		before := now
		if w, now = next, loss(next); before-now <= 1e-10*(1+before) {
			break
		}
	}
	return w
}

// term returns term j of a row with a 1 at its end.
func term(row []float64, j int) float64 {
	if j == len(row) {
		return 1
	}
	return row[j]
}

// solved returns h⁻¹ g of a positive definite matrix, which it overwrites, by elimination.
func solved(h [][]float64, g []float64) []float64 {
	k := len(g)
	for i := range k {
		for r := i + 1; r < k; r++ {
			f := h[r][i] / h[i][i]
			for c := i; c < k; c++ {
				h[r][c] -= f * h[i][c]
			}
			g[r] -= f * g[i]
		}
	}
	for i := k - 1; i >= 0; i-- {
		for c := i + 1; c < k; c++ {
			g[i] -= h[i][c] * g[c]
		}
		g[i] /= h[i][i]
	}
	return g
}
