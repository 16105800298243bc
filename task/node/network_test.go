package node

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/recipe"
)

// TestTotal: the energy by its gradient is the sum over edges.
func TestTotal(t *testing.T) {
	count, d := 0, clusters(100)
	for _, r := range recipe.All() {
		if config.FamilyOf(r.Name).IsFacts() {
			continue
		}
		c := settings(t, r.Name)
		b := must(Build(c, d, Trials(c, d)[0], Options{})).network.(bilevel)
		levels := must(b.Settle(b.on))
		top := levels[len(levels)-1]
		l, h := top.Lower(input.Evaluation(), top.On), ad.Const(top.Y)
		for _, f := range l.F {
			q, ok := f.(interface{ Quadratic() bool })
			if (ok && q.Quadratic()) != (r.Name != "heterophily-edge" && r.Name != "attention") {
				t.Errorf("%s: quadratic is %v", r.Name, ok && q.Quadratic())
			}
		}
		want, got := float64(ad.Eval(l.Smooth(h)).Item()), float64(ad.Eval(l.Total(h)).Item())
		if math.Abs(want-got) > 1e-4*(1+math.Abs(want)) { // rounding of Σ d h², which is above the energy
			t.Errorf("%s: energy %v by the gradient, %v by the sum", r.Name, got, want)
		}
		count++
	}
	if count < 15 {
		t.Errorf("only %d recipes were compared", count)
	}
}

// TestPredictionsAreOfTheNetwork: logits that are taken from what descents have found equal those of the network, bit
// for bit, with every recipe.
func TestPredictionsAreOfTheNetwork(t *testing.T) {
	d := clusters(100)
	for _, r := range recipe.All() {
		if config.FamilyOf(r.Name).IsFacts() {
			continue
		}
		c := settings(t, r.Name)
		task := must(Build(c, d, Trials(c, d)[0], Options{}))
		want := ad.Eval(must(task.network.Predict(input.Evaluation()))).Slice()
		if got := must(task.Predict()).Logits.Slice(); !slices.Equal(got, want) {
			t.Errorf("%s: logits differ from those of the network", r.Name)
		}
	}
}

// TestDescentOfFeaturesRunsOnce: without π nothing before the head changes, so that an epoch does not descend.
func TestDescentOfFeaturesRunsOnce(t *testing.T) {
	for _, layers := range []int{1, 2} {
		c := settings(t, "base")
		c.Model.Before, c.Model.After, c.Model.InputDropout = 0, layers, 0
		if layers == 1 {
			unsetHidden(&c)
		}
		task, l := started(t, c, clusters(100))
		advance(t, l, 1)
		for _, p := range []*ad.Program{task.rows.(*whole).pass.Program, task.rows.(*whole).looks} {
			for _, cost := range must(p.Profile()) {
				if cost.Op == "descend" || cost.Op == "spmm" {
					t.Errorf("%d layers: an epoch runs %s", layers, cost.Op)
				}
			}
		}
	}
}
