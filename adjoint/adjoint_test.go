package adjoint_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// ring is a random connected undirected graph.
func ring(t testing.TB, n, extra int, seed uint64) *energy.Structure {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var edges []graph.Triple
	for v := range n {
		edges = append(edges, graph.Triple{U: int32(v), V: int32((v + 1) % n)})
	}
	for range extra {
		edges = append(edges, graph.Triple{U: rng.Int32N(int32(n)), V: rng.Int32N(int32(n))})
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	return energy.NewStructure(g)
}

func uniform(rows, cols int, lo, hi mat.Real, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, lo, hi, seed)
	return m
}

// problem is a bilevel problem with everything that can be trained: π's output and λ.
type problem struct {
	pi, lambda *mat.Dense
	build      func(pi, lambda ad.Var) *energy.Lower
}

func newProblem(t testing.TB, rho energy.Penalty, eta energy.Constraint) problem {
	on := ring(t, 7, 5, 1)
	return problem{
		pi: uniform(7, 3, -2, 2, 2), lambda: mat.Scalar(0.7),
		build: func(pi, lambda ad.Var) *energy.Lower {
			f := energy.EdgeFunc(func(e energy.Edges) ad.Var {
				return energy.HalfSquared.Rows(e.U.Sub(e.V)).Mul(lambda)
			})
			return &energy.Lower{On: on, Pi: pi, F: []energy.EdgeTerm{f},
				Kappa: []energy.NodeTerm{energy.Anchor(rho)}, Eta: eta}
		},
	}
}

// gradient is the loss Σ w∘h_L and its derivatives to π and λ.
func (p problem) gradient(adj adjoint.Adjoint, a descent.Algorithm, layers int) (vars, outs []ad.Var) {
	pi, lambda := ad.Input(p.pi), ad.Input(p.lambda)
	h := adj.Run(a, p.build(pi, lambda), pi.Scale(0.5), layers)
	loss := h.Mul(ad.Const(uniform(7, 3, 0.2, 1, 3))).Sum().Add(h.Square().Sum())
	return []ad.Var{pi, lambda}, append([]ad.Var{loss}, ad.Grad(loss, pi, lambda)...)
}

func values(t testing.TB, outs []ad.Var) []float64 {
	t.Helper()
	prog := ad.Compile(outs...)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	var all []float64
	for _, v := range outs {
		for _, x := range prog.Value(v).Slice() {
			all = append(all, float64(x))
		}
	}
	return all
}

// difference is the largest difference relative to the largest value.
func difference(a, b []float64) float64 {
	scale, worst := 1.0, 0.0
	for i := range a {
		scale = max(scale, math.Abs(a[i]))
	}
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i])/scale)
	}
	return worst
}

var penalties = map[string]energy.Penalty{
	"half-squared": energy.HalfSquared, "log-cosh": energy.LogCosh, "charbonnier": energy.Charbonnier(1),
}

func TestUnrolledAgainstFiniteDifferences(t *testing.T) {
	for name, rho := range penalties {
		t.Run(name, func(t *testing.T) {
			p := newProblem(t, rho, nil)
			_, outs := p.gradient(adjoint.Unrolled{}, descent.Proximal(descent.Fixed(0.1), nil), 4)
			testkit.Gradient(t, outs[0], outs[1:], p.pi, p.lambda)
		})
	}
}

// TestHeadBeforeOrAfter: a linear descent commutes with a linear head, values and all derivatives.
func TestHeadBeforeOrAfter(t *testing.T) {
	on := ring(t, 7, 5, 1)
	pi, w := ad.Input(uniform(7, 5, -1, 1, 2)), ad.Input(uniform(5, 2, -1, 1, 3))
	lambda := energy.Trained("λ", 0.7)
	lower := &energy.Lower{On: on, Pi: pi, F: []energy.EdgeTerm{energy.Laplace(lambda, graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	a := descent.Proximal(descent.Fixed(0.9), descent.Degree)
	theta := lambda.Params()[0].Var
	for name, h0 := range map[string]ad.Var{"from π": pi, "from elsewhere": pi.Tanh()} {
		before := adjoint.Through(adjoint.Unrolled{}, a, lower, h0, 4, w)
		after := descent.Run(a, lower, h0, 4).H.MatMul(w)
		all := func(y ad.Var) []float64 {
			return values(t, append([]ad.Var{y}, ad.Grad(y.Square().Sum(), pi, w, theta)...))
		}
		if e := difference(all(after), all(before)); e > 1e-5 { // float32 sums in another order
			t.Errorf("%s: apart by %.1e", name, e)
		}
	}
}

func TestCheckpointedEqualsUnrolled(t *testing.T) {
	for name, rho := range penalties {
		for _, keep := range []int{0, 1, 3, 100} {
			for _, layers := range []int{1, 2, 10} {
				t.Run(fmt.Sprintf("%s keep %d of %d", name, keep, layers), func(t *testing.T) {
					p := newProblem(t, rho, nil)
					a := descent.Proximal(descent.Fixed(0.1), nil)
					_, want := p.gradient(adjoint.Unrolled{}, a, layers)
					_, got := p.gradient(adjoint.Checkpointed{Keep: keep}, a, layers)
					if e := difference(values(t, want), values(t, got)); e > 1e-6 { // the same sums, fused differently
						t.Errorf("apart by %.1e", e)
					}
				})
			}
		}
	}
}

// TestImplicitEqualsUnrolledAtConvergence: at the minimiser both give the minimiser's derivative.
func TestImplicitEqualsUnrolledAtConvergence(t *testing.T) {
	tolerance := 1e-4
	if testkit.Double {
		tolerance = 1e-8
	}
	for name, rho := range penalties {
		t.Run(name, func(t *testing.T) {
			p := newProblem(t, rho, nil)
			a := descent.Proximal(descent.Fixed(0.15), nil)
			stats := &adjoint.Stats{}
			_, want := p.gradient(adjoint.Unrolled{}, a, 200)
			_, got := p.gradient(adjoint.Implicit{Stats: stats}, a, 200)
			if e := difference(values(t, want), values(t, got)); e > tolerance {
				t.Errorf("apart by %.1e, residual %.1e, solve %.1e in %d", e, stats.Residual, stats.SolveResidual,
					stats.Iterations)
			}
			if stats.Iterations == 0 || stats.Residual == 0 && !testkit.Double {
				t.Errorf("no evidence: %+v", *stats)
			}
		})
	}
}

// TestImplicitWithConstraints: on free coordinates by conjugate gradients, with a sphere or a ball by the series.
func TestImplicitWithConstraints(t *testing.T) {
	tolerance := 1e-4
	if testkit.Double {
		tolerance = 1e-8
	}
	clamp, err := energy.Clamp([]int32{1, 4}, 7, uniform(2, 3, -1, 1, 9))
	if err != nil {
		t.Fatal(err)
	}
	for name, eta := range map[string]energy.Constraint{
		"h ≥ 0": energy.NonNegative, "box": energy.Box(-0.2, 0.4), "clamp": clamp, "ball": energy.Ball(0.7),
	} {
		t.Run(name, func(t *testing.T) {
			p := newProblem(t, energy.LogCosh, eta)
			a := descent.Proximal(descent.Fixed(0.15), nil)
			_, want := p.gradient(adjoint.Unrolled{}, a, 200)
			_, got := p.gradient(adjoint.Implicit{}, a, 200)
			if e := difference(values(t, want), values(t, got)); e > tolerance {
				t.Errorf("apart by %.1e", e)
			}
		})
	}
}

func TestImplicitRefusesWhatDidNotConverge(t *testing.T) {
	p := newProblem(t, energy.LogCosh, nil)
	_, outs := p.gradient(adjoint.Implicit{}, descent.Proximal(descent.Fixed(0.01), nil), 3)
	var failed *adjoint.NotConverged
	if err := ad.Compile(outs...).Run(); !errors.As(err, &failed) || failed.What != "descent" ||
		failed.Iterations != 3 {
		t.Errorf("error %v, want the descent not converged after 3 steps", err)
	}
	_, outs = p.gradient(adjoint.Implicit{MaxIter: 1}, descent.Proximal(descent.Fixed(0.15), nil), 200)
	if err := ad.Compile(outs...).Run(); !errors.As(err, &failed) || failed.What != "linear solve" {
		t.Errorf("error %v, want the linear solve not converged", err)
	}
}

// TestDivergence: a step beyond the bound ends with the layer and the term, never with a NaN model.
func TestDivergence(t *testing.T) {
	p := newProblem(t, energy.HalfSquared, nil)
	a := descent.Proximal(descent.Forced(1e6), nil)
	for name, adj := range map[string]adjoint.Adjoint{
		"unrolled": adjoint.Unrolled{}, "checkpointed": adjoint.Checkpointed{}, "implicit": adjoint.Implicit{},
	} {
		_, outs := p.gradient(adj, a, 100)
		var diverged *descent.Diverged
		if err := ad.Compile(outs...).Run(); !errors.As(err, &diverged) || diverged.Layer < 1 || diverged.Layer > 100 {
			t.Errorf("%s: error %v, want Diverged with its layer", name, err)
		} else {
			t.Log(name, err)
		}
	}
}

// TestMemory is the point of the other two: state per layer at L = 256.
func TestMemory(t *testing.T) {
	const layers = 256
	p := newProblem(t, energy.LogCosh, nil)
	a := descent.Proximal(descent.Fixed(0.1), nil)
	bytes := func(adj adjoint.Adjoint) int {
		_, outs := p.gradient(adj, a, layers)
		prog := ad.Compile(outs...)
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		return prog.Bytes()
	}
	arena := &ad.Arena{}
	unrolled, implicit := bytes(adjoint.Unrolled{}), bytes(adjoint.Implicit{})
	checkpointed := bytes(adjoint.Checkpointed{Arena: arena}) + arena.Bytes()
	t.Logf("unrolled %d, checkpointed %d, implicit %d bytes", unrolled,
		checkpointed, implicit)
	if 20*implicit > unrolled || 6*checkpointed > unrolled {
		t.Errorf("unrolled %d bytes, checkpointed %d, implicit %d: want at most 1/6 and 1/20", unrolled,
			checkpointed, implicit)
	}
}
