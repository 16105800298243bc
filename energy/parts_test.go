package energy_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/energy/energytest"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// TestPenalties is the suite of penalties: every one of the table, on edges and on nodes, with a threshold that is not
// 1.
func TestPenalties(t *testing.T) {
	for _, p := range energy.Penalties.Parts {
		rho := p.New
		if p.Make != nil {
			rho = p.Make(energy.Penalty{T: 0.6})
		}
		var opts []energytest.Option
		if kinked(rho) {
			opts = append(opts, energytest.Kinked())
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Run("even", func(t *testing.T) { even(t, rho) })
			energytest.EdgeTerm(t, "Difference", func() energy.EdgeTerm { return difference(rho) }, opts...)
			energytest.EdgeTerm(t, "Compat", func() energy.EdgeTerm { return compat(rho) }, opts...)
			energytest.NodeTerm(t, "Anchor", func() energy.NodeTerm { return energy.Anchor(rho) }, opts...)
		})
	}
}

// kinked reports whether ρ″ jumps.
func kinked(rho energy.Penalty) bool {
	z := ad.Input(ramp())
	second := ad.Grad(ad.Grad(rho.Rho(z).Sum(), z)[0].Sum(), z)[0]
	x := ad.Eval(second).Slice()
	for i := range x[1:] {
		if math.Abs(float64(x[i+1]-x[i])) > 0.2*rho.Curv {
			return true
		}
	}
	return false
}

// ramp is numbers from −5 to 5.
func ramp() *mat.Dense {
	x := make([]mat.Real, 1001)
	for i := range x {
		x[i] = mat.Real(i-500) / 100
	}
	return mat.FromSlice(1, len(x), x)
}

// even: ρ is 0 at 0, the same on both sides, grows with |z|, and ρ″ is at most Curv and reaches it.
func even(t *testing.T, rho energy.Penalty) {
	z := ad.Input(ramp())
	y := rho.Rho(z)
	second := ad.Grad(ad.Grad(y.Sum(), z)[0].Sum(), z)[0]
	prog := ad.Compile(y, second)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	values, curvature := prog.Value(y).Slice(), prog.Value(second).Slice()
	if values[500] != 0 {
		t.Errorf("ρ(0) = %v", values[500])
	}
	for i := range 500 {
		if far, near := values[i], values[i+1]; far < near || !nearly(float64(far), float64(values[1000-i]), rounding) {
			t.Fatalf("ρ at %v is %v, nearer to 0 it is %v, and on the other side %v", float64(i-500)/100, far, near,
				values[1000-i])
		}
	}
	if most := float64(slices.Max(curvature)); !nearly(most, rho.Curv, 1e-3) {
		t.Errorf("ρ″ is up to %v, Curv %v", most, rho.Curv)
	}
}

// TestConstraintParts is the suite of constraints: every one of the table.
func TestConstraintParts(t *testing.T) {
	for _, p := range energy.Constraints.Parts {
		energytest.Constraint(t, p.Name, func() energy.Constraint { return p.New })
	}
}

// TestAnnounced: constraints and penalties that are in no table fail.
func TestAnnounced(t *testing.T) {
	testkit.Announced(t, energy.Constraints, map[string]string{
		"clamp": "is about labels: recipe.Clamp", "ranged": "is about features: recipe.Range",
		"held": "holds rows of a descent on some of them",
	}, "Prox", "Value", "Convex")
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }
	var known []string
	for _, p := range energy.Penalties.Parts {
		known = append(known, plain(p.Name))
	}
	found := testkit.Values(t, ".", "Penalty")
	if len(found) < len(known) {
		t.Errorf("penalties %v are found, %v known", found, known)
	}
	for _, name := range found {
		if !slices.Contains(known, plain(name)) {
			t.Errorf("penalty %s is not in the table", name)
		}
	}
}
