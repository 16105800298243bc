package descent_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestLocal: the numbers of a row equal the step, with every penalty, norm, γ, σ and prox that are separable.
func TestLocal(t *testing.T) {
	const lambda, layers = 0.6, 3
	for _, rho := range []energy.Penalty{energy.HalfSquared, energy.Squared, energy.Huber(0.4), energy.SmoothL1(0.4),
		energy.LogCosh} {
		for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
			for _, a := range []descent.Algorithm{descent.Proximal(descent.Forced(0.07), nil),
				descent.Proximal(nil, descent.Degree),
				descent.Proximal(descent.Forced(0.8), descent.Held(descent.Degree))} {
				for _, eta := range []energy.Constraint{nil, energy.NonNegative} {
					w := newWorld(t, 700, 12)
					w = newWorld(t, 700, 12, w.weights)
					h0 := w.nodes(3, 1)
					l := w.base(lambda, rho, w.nodes(3, 1))
					l.F, l.Eta = []energy.EdgeTerm{energy.Laplace(energy.Fixed(lambda), norm)}, eta
					local, ok := descent.Localize(l, a)
					if !ok || local.Rate == nil {
						t.Fatalf("%v, norm %v, %+v: not local", rho, norm, a)
					}
					h, pi, degree := rowsOf(h0), rowsOf(local.Pi), rowsOf(ad.Eval(w.on.Degree()))
					for range layers {
						heard := h.each(func(int, int) float64 { return 0 })
						for e, x := range w.g.Triples() {
							for _, ends := range [][2]int32{{x.U, x.V}, {x.V, x.U}} {
								_, _, _, s := local.Coefs(degree[ends[0]][0])
								for j := range h[0] {
									heard[ends[1]][j] += float64(w.g.Weights()[e]) * s * h[ends[0]][j]
								}
							}
						}
						h = h.each(func(v, j int) float64 {
							a, b, c, _ := local.Coefs(degree[v][0])
							z := phi(local.Kind, h[v][j]-pi[v][j])
							to := a*h[v][j] + b*heard[v][j] + c*z
							if eta != nil {
								to = max(0, to)
							}
							return to
						})
					}
					same(t, rho.Name, after(t, a, l, h0, layers), h, 10*tolerance())
				}
			}
		}
	}
}

// phi is φ of a step.
func phi(kind mat.StepKind, z float64) float64 {
	switch t := float64(kind.T); kind.Phi {
	case mat.PhiHuber:
		return max(-t, min(t, z))
	case mat.PhiLogCosh:
		return math.Tanh(z)
	}
	return z
}
