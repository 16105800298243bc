package inspect

import (
	"testing"

	"github.com/bloomgml/bloom/recipe"
)

// TestRecipes: every recipe passes its gradient check, and its energy ends below where it starts.
func TestRecipes(t *testing.T) {
	for _, r := range recipe.All() {
		rep, err := Run(r, Options{Nodes: 12, Steps: -1, Seed: 1})
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		first, last := rep.Trace[0].Energy, rep.Trace[len(rep.Trace)-1].Energy
		t.Logf("%-18s error %.1e plain %.1e bound %v %v  %v → %v", r.Name, rep.Gradient.Error, rep.Gradient.Plain, rep.Bound.Gamma, rep.Bound.Term, first, last)
		if !rep.Gradient.OK || !(last < first) || len(rep.Trace) != r.L+1 {
			t.Errorf("%s: %+v, energy %v to %v", r.Name, rep.Gradient, first, last)
		}
	}
}
