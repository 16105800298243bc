package kg

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// tiny is a bilevel config with a strongly convex pull of H to 0, so that a minimiser exists.
func tiny(l int) Config {
	return Config{Model: energy.TransE(energy.NormSquared, 0), Margin: 1, Dim: 3, Scale: 0.3, Seed: seed,
		Bilevel: &Bilevel{L: l, Gamma: 0.2, Negatives: 2, Redraw: 1 << 30, Kappa: pull(0.5)}}.filled()
}

// pull is μ/2 ‖h‖².
func pull(mu float64) []energy.NodeTerm {
	return []energy.NodeTerm{energy.WeightedNodes(energy.Anchor(energy.HalfSquared), ad.Number(mu))}
}

// TestEnvelope: where the descent has converged, the derivative of ℓ_low(H⁽ᴸ⁾(E), E) to E through the steps is the
// partial derivative with H held (the envelope theorem); after a few steps it is not.
func TestEnvelope(t *testing.T) {
	g := smallGraph(t, 8, 2, 14)
	gap := func(steps int) float64 {
		c := tiny(steps)
		c.Bilevel.A = descent.Proximal(descent.Forced(0.02), nil)
		tr := newAllAtOnce(c, g)
		m := tr.model
		on, err := signed(g, 2, 1, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		m.Config.Bilevel.Kappa = pull(20)
		l := m.lower(on) // convex: the pull to 0 is stronger than that of false triples apart
		h, err := m.descend(l)
		if err != nil {
			t.Fatal(err)
		}
		total := ad.Eval(ad.Grad(l.Total(h), m.E.Var)[0]).Slice()
		partial := ad.Eval(ad.Grad(l.Total(ad.Stop(h)), m.E.Var)[0]).Slice()
		worst, size := 0.0, 0.0
		for i := range total {
			worst = max(worst, math.Abs(float64(total[i]-partial[i])))
			size = max(size, math.Abs(float64(partial[i])))
		}
		return worst / size
	}
	if few := gap(2); few < 0.05 {
		t.Errorf("after 2 steps the derivatives differ by %.2g only: nothing to tell apart", few)
	}
	// Tolerance: the pull to 0 halves the way that is left in a few steps, down to the rounding of a float32.
	if many := gap(60); many > 1e-3 {
		t.Errorf("after 60 steps the derivatives differ by %.2g of the largest", many)
	}
}

// TestWaysAgree trains the same energy in both ways to convergence: E alone, with H by 150 steps, and E and H together.
// The minima have the same value and the same scores.
func TestWaysAgree(t *testing.T) {
	g := smallGraph(t, 8, 2, 14)
	c := tiny(150)
	tr := newAllAtOnce(c, g)
	opt := optimizer(t, "adam", tr.Params(), nil)
	for epoch := range 400 {
		if err := tr.Batch(1+epoch, 0); err != nil {
			t.Fatal(err)
		}
		opt.Step(tr.Grads(), 0.02)
	}
	loss := float64(tr.Loss().Item())
	on, err := signed(g, 2, 1, mat.Mix(c.Seed, 10), 0) // the draw that training began with
	if err != nil {
		t.Fatal(err)
	}
	h, err := tr.model.descend(tr.model.lower(on))
	if err != nil {
		t.Fatal(err)
	}
	mat.Copy(tr.model.H.Value(), ad.Eval(h))
	both := trainBoth(t, newModel(c, g), on, loss)
	for _, f := range g.Triples() {
		a, b := naiveOf(tr.model).fact(f.U, f.R, f.V), naiveOf(both).fact(f.U, f.R, f.V)
		if math.Abs(a-b) > 0.02 {
			t.Errorf("score of %v: %.4f with H by descent, %.4f with H trained", f, a, b)
		}
	}
}

// trainBoth trains H and E of m on ℓ_low and compares its minimum with another.
func trainBoth(t *testing.T, m *Model, on *energy.Structure, want float64) *Model {
	t.Helper()
	l := m.lower(on)
	loss := l.Total(m.H.Var).Scale(1 / 14.0)
	grads := ad.Grad(loss, m.H.Var, m.E.Var)
	prog := ad.Compile(append([]ad.Var{loss}, grads...)...)
	opt := optimizer(t, "adam", []*ad.Param{m.H, m.E}, nil)
	for i := range 3000 {
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		opt.Step([]*mat.Dense{prog.Value(grads[0]), prog.Value(grads[1])}, 0.02*(1-float64(i)/3000))
	}
	// Tolerance: both are minima, where the loss is flat; the descent stops a little above its own.
	if got := float64(prog.Value(loss).Item()); math.Abs(got-want) > 2e-3*want {
		t.Errorf("minimum %.6f with H by descent, %.6f with H trained", want, got)
	}
	return m
}

// TestEmbed: another graph gets embeddings by the same steps; the training graph gets its own again.
func TestEmbed(t *testing.T) {
	d := smallData(t, 30, 2, 120)
	c := tiny(5)
	m := fit(t, c, d, 5)
	same, err := m.Embed(d.Graph)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.H.Value().Slice(), same.H.Value().Slice(); !equal(a, b) {
		t.Error("the training graph is embedded differently the second time")
	}
	other, err := m.Embed(smallGraph(t, 11, 2, 30))
	if err != nil || other.H.Rows() != 11 || other.E != m.E {
		t.Errorf("another graph: %v rows, %v", other.H.Shape(), err)
	}
	ordinary := *m
	ordinary.Config.Bilevel = nil
	if _, err := ordinary.Embed(d.Graph); err == nil {
		t.Error("a model without a start embeds a graph")
	}
}

func equal(a, b []mat.Real) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
