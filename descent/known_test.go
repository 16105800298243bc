package descent_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

const rate, beta, beta2, eps = 0.07, 0.8, 0.95, 1e-3

// The layers of every algorithm, written out: those that look at ∇ alone by a rule on tables, others in tests of their
// own.
var knownLayers = map[string][]func(*testing.T){
	"proximal": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.Proximal(descent.Fixed(rate), sigma)
	}, func(h table, g gradient, _ *past) (table, float64) { return mix(1, h, -rate, g(h)), rate })},
	"sign": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.Sign(descent.Fixed(rate), sigma)
	}, func(h table, g gradient, s *past) (table, float64) {
		now := g(h)
		return h.each(func(v, j int) float64 { return h[v][j] - rate*s.sigma[v]*math.Copysign(1, now[v][j]) }), rate
	})},
	"momentum": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.Momentum(descent.Fixed(rate), sigma, beta)
	}, func(h table, g gradient, s *past) (table, float64) {
		s.m = mix(beta, s.m, 1-beta, g(h))
		return mix(1, h, -rate, s.m), rate
	})},
	"heavy-ball": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.HeavyBall(descent.Fixed(rate), sigma, beta)
	}, func(h table, g gradient, s *past) (table, float64) {
		s.m = mix(beta, s.m, 1, g(h))
		return mix(1, h, -rate, s.m), rate / (1 - beta)
	})},
	"nesterov": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.Nesterov(descent.Fixed(rate), sigma, beta)
	}, func(h table, g gradient, s *past) (table, float64) {
		if s.layer == 1 {
			s.m = h
		}
		y := mix(1+beta, h, -beta, s.m)
		s.m = h
		return mix(1, y, -rate, g(y)), rate
	}), byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.Nesterov(descent.Fixed(rate), sigma, 0)
	}, fista)},
	"adagrad": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.AdaGrad(descent.Fixed(rate), sigma)
	}, func(h table, g gradient, s *past) (table, float64) {
		now := g(h)
		s.w = s.w.each(func(v, j int) float64 { return s.w[v][j] + now[v][j]*now[v][j] })
		return h.each(func(v, j int) float64 { return h[v][j] - rate*now[v][j]/(math.Sqrt(s.w[v][j])+eps) }), rate
	})},
	"rmsprop": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.RMSProp(descent.Fixed(rate), sigma, beta)
	}, func(h table, g gradient, s *past) (table, float64) {
		now := g(h)
		s.w = s.w.each(func(v, j int) float64 { return beta*s.w[v][j] + (1-beta)*now[v][j]*now[v][j] })
		return h.each(func(v, j int) float64 { return h[v][j] - rate*now[v][j]/(math.Sqrt(s.w[v][j])+eps) }), rate
	})},
	"adam": {byRule(func(sigma descent.Preconditioner) descent.Algorithm {
		return descent.Adam(descent.Fixed(rate), sigma, beta, beta2)
	}, func(h table, g gradient, s *past) (table, float64) {
		now := g(h)
		s.m = mix(beta, s.m, 1-beta, now)
		s.w = s.w.each(func(v, j int) float64 { return beta2*s.w[v][j] + (1-beta2)*now[v][j]*now[v][j] })
		first, second := 1-math.Pow(beta, float64(s.layer)), 1-math.Pow(beta2, float64(s.layer))
		return h.each(func(v, j int) float64 {
			return h[v][j] - rate*(s.m[v][j]/first)/(math.Sqrt(s.w[v][j]/second)+eps)
		}), rate
	})},
	"twirls":     {twirlsByHand},
	"reweighted": {reweightedByHand},
	"weights":    {weightsByHand},
	"rectified":  {rectifiedByHand},
}

// gradient is σ∇ at any rows.
type gradient func(table) table

// past is what layers leave for the next ones.
type past struct {
	m, w  table // 0 at first
	layer int   // from 1
	t     float64
	sigma []float64 // of every node
}

// fista has β_l = (t_{l−1} − 1)/t_l with t_0 = 0, so that t_1 = 1.
func fista(h table, g gradient, s *past) (table, float64) {
	before := s.t
	s.t = (1 + math.Sqrt(1+4*before*before)) / 2
	ahead := (before - 1) / s.t
	if s.layer == 1 {
		s.m = h
	}
	y := mix(1+ahead, h, -ahead, s.m)
	s.m = h
	return mix(1, y, -rate, g(y)), rate
}

// mix is a x + b y.
func mix(a float64, x table, b float64, y table) table {
	return x.each(func(v, j int) float64 { return a*x[v][j] + b*y[v][j] })
}

// rule is a layer: where rows go before the prox, and γ of the prox.
type rule func(h table, g gradient, s *past) (to table, reach float64)

// byRule compares sixteen layers of an algorithm, without σ and with σ = D⁻¹, with those of a rule, on
// λ/2 Σ‖h_u − h_v‖² + Σ log cosh(h_v − π_v) + 0.2 ‖h‖₁.
func byRule(a func(descent.Preconditioner) descent.Algorithm, by rule) func(*testing.T) {
	return func(t *testing.T) {
		for seed := range uint64(3) {
			w := newWorld(t, 30+seed, 12)
			h0, p, near := w.nodes(3, 1), w.nodes(3, 1), w.neighbours()
			const lambda, threshold, layers = 0.7, 0.2, 16
			l := w.base(lambda, energy.LogCosh, p)
			l.Eta = energy.L1(threshold)
			for _, sigma := range []descent.Preconditioner{nil, descent.InverseDegree} {
				h, pi := rowsOf(h0), rowsOf(p)
				zero := h.each(func(int, int) float64 { return 0 })
				s := &past{m: zero, w: zero, sigma: slices.Repeat([]float64{1}, len(h))}
				for v := range near {
					if sigma != nil {
						s.sigma[v] = 1 / float64(len(near[v]))
					}
					if sigma != nil && len(near[v]) == 0 {
						s.sigma[v] = 0
					}
				}
				slope := func(h table) table {
					a := pull(near, h)
					return h.each(func(v, j int) float64 {
						return s.sigma[v] * (math.Tanh(h[v][j]-pi[v][j]) - lambda*a[v][j])
					})
				}
				for s.layer = 1; s.layer <= layers; s.layer++ {
					to, reach := by(h, slope, s)
					h = to.each(func(v, j int) float64 {
						return math.Copysign(max(0, math.Abs(to[v][j])-reach*s.sigma[v]*threshold), to[v][j])
					})
				}
				// Dividing by √s lets rounding of a small g through at full size.
				same(t, "layers", after(t, a(sigma), l, h0, layers), h, 100*tolerance())
			}
		}
	}
}

// TestKnownLayers: every algorithm takes the steps that are written out for it.
func TestKnownLayers(t *testing.T) {
	testkit.Known(t, descent.Algorithms, knownLayers,
		func(t *testing.T, _ part.Part[descent.Algorithm], byHand func(*testing.T)) { byHand(t) })
}

// weightsByHand: with W = 0 at first, W ← W − γXᵀ∇ and H = XW.
func weightsByHand(t *testing.T) {
	const gamma, lambda, layers = 0.01, 0.8, 5
	for seed, features := range []int{1, 4, 20} {
		w := newWorld(t, uint64(400+seed), 12)
		features := w.normal(12, features, 2)
		p, near := w.nodes(3, 1), w.neighbours()
		l := w.base(lambda, energy.HalfSquared, p)
		l.X = ad.Const(features)
		got := after(t, descent.Weights(descent.Forced(gamma)), l, w.nodes(3, 1), layers)
		x, pi := rowsOf(features), rowsOf(p)
		weights := make(table, len(x[0]))
		for i := range weights {
			weights[i] = make([]float64, 3)
		}
		h := pi.each(func(int, int) float64 { return 0 })
		for range layers {
			a := pull(near, h)
			for i := range weights {
				for j := range weights[i] {
					for v := range x {
						weights[i][j] -= gamma * x[v][i] * (h[v][j] - pi[v][j] - lambda*a[v][j])
					}
				}
			}
			h = h.each(func(v, j int) (sum float64) {
				for i := range weights {
					sum += x[v][i] * weights[i][j]
				}
				return sum
			})
		}
		same(t, "steps on W", got, h, 10*tolerance())
	}
}

// spread is Both(Compat) with λ = 1/2 and C = 3 on the edges 0–1 and 0–2, and ½(h − π)².
func spread(t *testing.T) *energy.Lower {
	l := path3(t)
	l.F = []energy.EdgeTerm{energy.Both(energy.Compat(energy.HalfSquared, energy.Fixed(0.5),
		ad.NewParam("C", mat.Scalar(3))))}
	return l
}

// path3 is the base energy with λ = 1/2 on the edges 0–1 and 0–2.
func path3(t *testing.T) *energy.Lower {
	g, err := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}, {U: 0, V: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	return &energy.Lower{On: energy.NewStructure(g), Pi: ad.Const(mat.FromSlice(3, 1, []mat.Real{5, 6, 7})),
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(0.5), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
}

// TestKnownSigmas: σ of the three nodes at h = 0, 1, 2, as a step of Proximal shows it.
func TestKnownSigmas(t *testing.T) {
	type values struct {
		of   func(*testing.T) *energy.Lower
		want []float64
	}
	near, far := math.Exp(-0.5), math.Exp(-2) // k_01 and k_02 at τ = 1
	testkit.Known(t, descent.Preconditioners, map[string][]values{
		"none":           {{path3, []float64{1, 1, 1}}},
		"degree":         {{path3, []float64{1 / 2.0, 2 / 3.0, 2 / 3.0}}},  // 1/(1 + d/2)
		"degree-held":    {{path3, []float64{1 / 2.0, 2 / 3.0, 2 / 3.0}}},  // the same
		"inverse-degree": {{path3, []float64{1 / 2.0, 1, 1}}},              // 1/d
		"one-sided":      {{spread, []float64{1 / 2.0, 2 / 3.0, 2 / 3.0}}}, // 1/(1 + d/2), whatever C is
		"one-sided-held": {{spread, []float64{1 / 2.0, 2 / 3.0, 2 / 3.0}}}, // the same
		"softmax":        {{path3, []float64{1 / (1 + near + far), 1 / (1 + near), 1 / (1 + far)}}},
	}, func(t *testing.T, p part.Part[descent.Preconditioner], v values) {
		l, h0 := v.of(t), mat.FromSlice(3, 1, []mat.Real{0, 1, 2})
		g := rowsOf(eval(t, l.Grad(ad.Input(h0)))[0])
		got := after(t, descent.Proximal(descent.Forced(0.1), p.New), l, h0, 1)
		want := g.each(func(i, _ int) float64 { return float64(i) - 0.1*v.want[i]*g[i][0] })
		same(t, p.Name, got, want, tolerance())
	})
}

// TestKnownGammas: γ on 5 (h_0 − h_1)² + ½ h_0² + ½ h_1² at h = 1, −1, along which the curvature is 21: the energy does
// not rise where γ is at most 2/21 = 0.095.
func TestKnownGammas(t *testing.T) {
	type value struct {
		gamma descent.StepSize // nil for that of the table
		want  float64
	}
	testkit.Known(t, descent.StepSizes, map[string][]value{
		"":             {{nil, 1}, {descent.Fixed(0.03), 0.03}},
		"safe":         {{nil, 1 / 21.0}},
		"safe-held":    {{nil, 1 / 21.0}},
		"backtracking": {{nil, 1 / 16.0}, {descent.Backtracking(0.3, 0.9, 0), 0.3 * math.Pow(0.9, 11)}},
		"forced":       {{nil, 2}, {descent.Forced(0.4), 0.4}},
	}, func(t *testing.T, p part.Part[descent.StepSize], v value) {
		g, err := graph.Build(graph.Spec{Nodes: 2, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		l := &energy.Lower{On: energy.NewStructure(g), Pi: ad.Const(mat.New(2, 1)),
			F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(10), graph.None)},
			Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
		gamma := v.gamma
		if gamma == nil {
			gamma = p.New
		}
		h := ad.Input(mat.FromSlice(2, 1, []mat.Real{1, -1}))
		got := rowsOf(eval(t, gamma.Gamma(l, ad.Number(1), descent.State{H: h}))[0])
		same(t, "γ", got, table{{v.want}}, tolerance())
	})
}
