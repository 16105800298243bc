package kg

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// algorithms are all that look at the gradient alone, and one that reads the graph.
var algorithms = []descent.Algorithm{
	descent.Proximal(descent.Forced(0.02), nil), descent.Momentum(descent.Fixed(0.02), nil, 0.5),
	descent.HeavyBall(descent.Fixed(0.02), nil, 0.5), descent.Nesterov(descent.Fixed(0.02), nil, 0),
	descent.AdaGrad(descent.Fixed(0.1), nil), descent.RMSProp(descent.Fixed(0.05), nil, 0),
	descent.Adam(descent.Fixed(0.05), nil, 0, 0),
	descent.AdaGrad(descent.Fixed(0.1), descent.InverseDegree),
}

// TestMovingRowsAreThePlainEnergy compares the energy of moving rows alone, its gradient and every descent on it with
// the energy on all of H in which the others are held, for all models and losses.
func TestMovingRowsAreThePlainEnergy(t *testing.T) {
	for _, m := range models {
		for _, loss := range []Ranking{Softmax{}, SelfAdversarial{T: 1}, Softplus{}} {
			t.Run(fmt.Sprintf("%#v/%T", m, loss), func(t *testing.T) {
				c := small(m)
				c.Loss, c.Penalty, c.Negatives.Shared = loss, Penalty{0.1, true}, 6
				c.Bilevel = &Bilevel{L: 3, Block: 2, Negatives: 3,
					Kappa: []energy.NodeTerm{energy.UnitNormPenalty(energy.Fixed(0.1))}, Eta: energy.Ball(1.5)}
				c = c.filled()
				n, _ := among(c, t)
				comparePlain(t, n)
			})
		}
	}
}

func comparePlain(t *testing.T, n *moving) {
	t.Helper()
	plain, err := n.plain(n.m.E.Var)
	if err != nil {
		t.Fatal(err)
	}
	fast, x := n.lower(n.m.E.Var), n.start(n.m.E.Var)
	h := n.withRows(x)
	// All terms of held rows alone are the same in both, and no part of the fast form: κ of rows that do not
	// move.
	held := &energy.Lower{On: plain.On}
	n.m.Config.Bilevel.extend(held, n.m.H.Shape())
	rest := held.Smooth(h).Sub(n.onRows(held).Smooth(x))
	near(t, "energy", ad.Eval(fast.Smooth(x)), ad.Eval(plain.Smooth(h).Sub(rest)))
	near(t, "gradient", ad.Eval(fast.Grad(x)), ad.Eval(plain.Grad(h).Gather(n.rows)))
	for _, a := range algorithms {
		if err := descent.Check(a, plain); err != nil {
			t.Fatal(err)
		}
		got, err := n.descend(n.m.E.Var, a, 3)
		if err != nil {
			t.Fatal(err)
		}
		all := descent.Run(fineAdaGrad(a), plain, h, 3).H
		near(t, fmt.Sprintf("%T", a), ad.Eval(got), ad.Eval(all.Gather(n.rows)))
		if stay := ad.Eval(all.Gather(n.pool)); !equal(stay.Slice(), ad.Eval(n.rest.Gather(n.pool)).Slice()) {
			t.Errorf("%T moves held rows", a)
		}
	}
}

// onRows is κ and η of l for the moving rows alone.
func (n *moving) onRows(l *energy.Lower) *energy.Lower {
	g, _ := graph.Build(graph.Spec{Nodes: len(n.list)})
	out := &energy.Lower{On: energy.NewStructure(g)}
	n.m.Config.Bilevel.extend(out, mat.Shape{Rows: len(n.list), Cols: l.Pi.Cols()})
	return out
}

// near compares numbers. Tolerance: sums of some tens of numbers up to 100 in another order, and three steps.
func near(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	x, y := floats(got), floats(want)
	for i := range x {
		if !(math.Abs(x[i]-y[i]) <= 2e-4*(1+math.Abs(y[i]))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, x[i], y[i])
		}
	}
}

// TestEnergyIsTrained: κ, η, the algorithm and the steps of a block change what is trained.
func TestEnergyIsTrained(t *testing.T) {
	d := smallData(t, 30, 2, 120)
	train := func(change func(*Bilevel)) []mat.Real {
		c := inBlocks(energy.DistMult)
		change(c.Bilevel)
		m := fit(t, c, d, 2)
		return append(m.H.Value().Slice(), m.E.Value().Slice()...)
	}
	before := train(func(*Bilevel) {})
	for name, change := range map[string]func(*Bilevel){
		"κ":        func(b *Bilevel) { b.Kappa = []energy.NodeTerm{energy.Anchor(energy.HalfSquared)} },
		"η":        func(b *Bilevel) { b.Eta = energy.NonNegative },
		"L":        func(b *Bilevel) { b.L++ },
		"γ":        func(b *Bilevel) { b.Gamma *= 1.5 },
		"momentum": func(b *Bilevel) { b.A = descent.Momentum(descent.Fixed(0.01), nil, 0.9) },
		"adam":     func(b *Bilevel) { b.A = descent.Adam(descent.Fixed(0.1), nil, 0, 0) },
	} {
		if equal(before, train(change)) {
			t.Errorf("%s is ignored", name)
		}
	}
}
