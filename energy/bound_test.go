package energy_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// starOf is node 0 joined to nodes 1, …, n−2; node n−1 is alone.
func starOf(t testing.TB, n int) *energy.Structure {
	t.Helper()
	spec := graph.Spec{Nodes: n, Undirected: true}
	for v := 1; v < n-1; v++ {
		spec.Triples = append(spec.Triples, graph.Triple{U: 0, V: int32(v)})
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	return energy.NewStructure(g)
}

func mustBound(t testing.TB, l *energy.Lower, sigma ad.Var) ad.Var {
	t.Helper()
	gamma, err := l.Bound(sigma)
	if err != nil {
		t.Fatal(err)
	}
	return gamma
}

// TestBoundByHand: on a star with three leaves, λ = 2 and half-squared κ, q is 1 + 2λd.
func TestBoundByHand(t *testing.T) {
	l := &energy.Lower{On: starOf(t, 5), F: []energy.EdgeTerm{energy.Laplace(energy.Fixed(2), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	q, err := l.Curvature()
	if err != nil {
		t.Fatal(err)
	}
	wantSlice(t, "q", ad.Eval(q), 13, 5, 5, 5, 1)
	wantSlice(t, "γ", ad.Eval(mustBound(t, l, ad.Number(1))), 2.0/13)
	jacobi := ad.Const(mat.FromSlice(5, 1, []mat.Real{1.0 / 7, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1}))
	wantSlice(t, "γ with σ = 1/(1 + λd)", ad.Eval(mustBound(t, l, jacobi)), 14.0/13)
	l.Eta = energy.NonNegative
	wantSlice(t, "γ with h ≥ 0", ad.Eval(mustBound(t, l, ad.Number(1))), 2.0/13)
	l.Eta = energy.UnitSphere
	wantSlice(t, "γ on the sphere", ad.Eval(mustBound(t, l, ad.Number(1))), 1.0/13)
	wantSlice(t, "γ of the plain form", ad.Eval(mustBound(t, l.Plain(), ad.Number(1))), 1.0/13)

	l = &energy.Lower{On: l.On, F: l.F} // no κ: the isolated node has no curvature
	wantSlice(t, "γ without κ", ad.Eval(mustBound(t, l, ad.Number(1))), 2.0/12)
	l = &energy.Lower{On: l.On}
	wantSlice(t, "γ without terms", ad.Eval(mustBound(t, l, ad.Number(1))), 2)
}

func TestNoBound(t *testing.T) {
	l := &energy.Lower{On: starOf(t, 4), F: []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared), energy.UnitNormPenalty(energy.Fixed(1))}}
	_, err := l.Bound(ad.Number(1))
	var none *energy.NoBound
	if !errors.As(err, &none) || none.Number != 3 {
		t.Fatalf("error %v, want a NoBound of term 3", err)
	}
	if want := "term 3 (UnitNormPenalty) has no curvature bound: use backtracking"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	l.F = append(l.F, energy.EdgeFunc(func(e energy.Edges) ad.Var { return e.U.RowDot(e.V) }))
	if _, err := l.Curvature(); !errors.As(err, &none) || none.Number != 2 {
		t.Errorf("error %v, want a NoBound of term 2", err)
	}
}

// TestBoundFollows: γ = 2/6λ follows a trained λ = softplus(θ) when a program runs again, and so does its derivative
// −2λ′/6λ²; three nodes of a star set the limit in equal parts where σ makes them alike.
func TestBoundFollows(t *testing.T) {
	lambda := energy.Trained("λ", 1)
	l := &energy.Lower{On: starOf(t, 5), F: []energy.EdgeTerm{energy.Laplace(lambda, graph.None)}}
	gamma := mustBound(t, l, ad.Const(mat.FromSlice(5, 1, []mat.Real{0.5, 3, 3, 3, 1})))
	theta := lambda.Params()[0]
	d := ad.Grad(gamma, theta.Var)[0]
	prog := ad.Compile(gamma, d)
	for _, at := range [][2]float64{{1, 1 - math.Exp(-1)}, {math.Ln2, 0.5}} { // λ and λ′
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		wantSlice(t, "γ", prog.Value(gamma), 2/(6*at[0]))
		wantSlice(t, "∂γ/∂θ", prog.Value(d), -2*at[1]/(6*at[0]*at[0]))
		mat.Fill(theta.Value(), 0)
	}
	mat.Fill(theta.Value(), mat.Real(math.NaN()))
	const want = "node 0: curvature times σ is NaN"
	if err := prog.Run(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	mat.Fill(theta.Value(), 0)
	if n := testing.AllocsPerRun(10, func() { _ = prog.Run() }); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
}

// TestDescentAtBound: proximal steps of exactly the bound never raise the energy.
func TestDescentAtBound(t *testing.T) {
	on := starOf(t, 4)
	sigma := ad.Const(drawn(4, 1, 0.2, 2, 1))
	for name, eta := range constraints(t) {
		if name == "activation" {
			continue // its η is unknown
		}
		s := sigma
		if name == "range" {
			s = ad.Number(1)
		}
		for seed := range uint64(20) {
			l := &energy.Lower{On: on, Pi: ad.Const(drawn(4, 3, -3, 3, seed)), Eta: eta,
				F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1.5), graph.None)},
				Kappa: []energy.NodeTerm{energy.Anchor(energy.LogCosh)}}
			rate := s.Mul(mustBound(t, l, s))
			h := mat.New(4, 3)
			x := ad.Input(h)
			next := l.Prox(x.Sub(l.Grad(x).Mul(rate)), rate)
			prog := ad.Compile(next)
			start := ad.Eval(l.Prox(ad.Input(drawn(4, 3, -3, 3, 50+seed)), rate))
			mat.Copy(h, start)
			before := math.Inf(1)
			for step := range 12 {
				r, err := l.Report(h)
				if err != nil {
					t.Fatal(err)
				}
				if r.Total > before+rounding*10*(1+math.Abs(before)) {
					t.Errorf("%s, seed %d, step %d: energy rose from %v to %v", name, seed, step, before, r.Total)
				}
				before = r.Total
				if err := prog.Run(); err != nil {
					t.Fatal(err)
				}
				mat.Copy(h, prog.Value(next))
			}
		}
	}
}
