package descent_test

import (
	"errors"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestOneSided: σ = 1/(1 + λ d) counts an edge once at either end, and a step with it is the update of HALO's code
//
//	(1−a) Y + a M⁻¹( s F + λ Σ_t [ A_t Y (Cᵀ_t + C_t⁻) − D_t Y C_t Cᵀ_t ] )
//
// with s = λ there.
func TestOneSided(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}, {U: 0, V: 2}}})
	if err == nil {
		g, err = g.WithInverse()
	}
	if err != nil {
		t.Fatal(err)
	}
	const lambda, a = 0.5, 0.3
	c, back := mat.Real(2), mat.Real(-1) // C of the relation and of its inverse, 1×1
	f := energy.Relational(energy.HalfSquared, energy.Fixed(lambda),
		ad.NewParam("C", mat.FromSlice(2, 1, []mat.Real{c, back})))
	l := &energy.Lower{On: energy.NewStructure(g), Pi: ad.Const(mat.FromSlice(3, 1, []mat.Real{1, 2, 3})),
		F:     []energy.EdgeTerm{f},
		Kappa: []energy.NodeTerm{energy.ScaledAnchor(energy.HalfSquared, lambda)}}
	y := []mat.Real{0.3, -0.2, 0.7}
	step := descent.Proximal(descent.Forced(a), descent.OneSided)
	got := ad.Eval(step.Step(l, step.Start(ad.Const(mat.FromSlice(3, 1, y)))).H).Slice()
	deg, sums := []mat.Real{2, 1, 1}, []mat.Real{y[1] + y[2], y[0], y[0]}
	square, there := []mat.Real{c * c, back * back, back * back}, c+back
	for v := range y {
		m := 1 + lambda*deg[v]
		want := (1-a)*y[v] + a/m*(lambda*mat.Real(v+1)+lambda*(sums[v]*there-deg[v]*y[v]*square[v]))
		if d := got[v] - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("node %d: %v, want %v", v, got[v], want)
		}
	}
	var unsuitable *descent.Unsuitable
	l.F = []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)}
	if err := descent.Check(descent.OneSided, l); !errors.As(err, &unsuitable) {
		t.Errorf("Laplace: %v", err)
	}
	l.F = []energy.EdgeTerm{f}
	l.Kappa = nil
	if err := descent.Check(descent.OneSided, l); !errors.As(err, &unsuitable) {
		t.Errorf("no node term: %v", err)
	}
}

// TestCertified: a forced γ, and a number with OneSided, are not.
func TestCertified(t *testing.T) {
	one := descent.Fixed(1)
	for _, c := range []struct {
		a    descent.Algorithm
		want bool
	}{
		{descent.Proximal(nil, descent.Degree), true},
		{descent.Proximal(descent.Safe, descent.OneSided), true},
		{descent.Proximal(descent.Backtracking(0, 0, 0), descent.OneSided), true},
		{descent.Proximal(one, descent.OneSided), false},
		{descent.Proximal(one, descent.Held(descent.OneSided)), false},
		{descent.Proximal(nil, descent.OneSided), false},
		{descent.Momentum(descent.Forced(1), descent.Degree, 0), false},
		{descent.Attention(descent.Proximal(descent.Forced(1), nil), 1, 1, 1, 0), false},
		{descent.Rectified(nil, nil, nil), true},
	} {
		if got := descent.Certified(c.a); got != c.want {
			t.Errorf("%+v: %v", c.a, got)
		}
	}
}
