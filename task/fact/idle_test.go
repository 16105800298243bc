package fact

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/train"
)

// embeddings are the recipes of package kg.
var embeddings = []string{"transe", "distmult", "complex", "rotate", "transe-bilevel", "distmult-bilevel",
	"complex-bilevel", "rotate-bilevel"}

// TestUnused: shipped settings pass, a key that other settings make meaningless is refused by name, and the same key
// passes where it means something.
func TestUnused(t *testing.T) {
	for _, recipe := range embeddings {
		for _, data := range []string{"mine", "fb15k-237", "wn18rr", "umls"} {
			if err := checkSet(recipe, data); err != nil {
				t.Errorf("%s on %s: %v", recipe, data, err)
			}
		}
	}
	for _, x := range []struct{ recipe, set, with string }{ // with makes set mean something
		{"distmult", "energy.steps=3", "-"},
		{"distmult", "energy.descent.algorithm=adam", "-"},
		{"distmult", "energy.kappa.anchor=half-squared", "-"},
		{"distmult", "energy.eta=nonnegative", "-"},
		{"transe", "energy.f.margin=3", "link.loss=bce"},
		{"distmult", "link.distance=l2", "-"},
		{"distmult", "link.adversarial=2", "link.loss=self-adversarial"},
		{"distmult", "link.negatives=7", "link.shared=0"},
		{"distmult", "link.cubic=false", ""},
		{"distmult", "link.loss=bce", ""},
		{"distmult-bilevel", "model.dropout=0.1", "link.block=0 link.upper=batches"},
		{"distmult-bilevel", "link.batch=7", "link.block=0 link.upper=batches"},
		{"distmult-bilevel", "link.upper=batches", "link.block=0"},
		{"distmult-bilevel", "link.redraw=7", "link.block=0"},
		{"distmult-bilevel", "energy.kappa={anchor: half-squared, scale: 0.1}", ""},
		{"distmult-bilevel", "energy.eta=nonnegative", ""},
		{"distmult-bilevel", "energy.descent.algorithm=adam", ""},
	} {
		if x.with != "" {
			var bad *train.BadSetting
			if err := checkSet(x.recipe, "mine", x.set); !errors.As(err, &bad) || !strings.HasPrefix(x.set, bad.Key) {
				t.Errorf("%s with %s: %v", x.recipe, x.set, err)
			}
		}
		if x.with != "-" {
			if err := checkSet(x.recipe, "mine", append(strings.Fields(x.with), x.set)...); err != nil {
				t.Errorf("%s with %s %s: %v", x.recipe, x.set, x.with, err)
			}
		}
	}
	for _, set := range []string{"energy.steps=0", "energy.kappa.labels=half-squared", "energy.eta=clamp"} {
		if err := checkSet("distmult-bilevel", "mine", set); err == nil {
			t.Errorf("%s passes", set)
		}
	}
}

// checkSet loads a recipe with some keys set.
func checkSet(recipe, data string, set ...string) error {
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Set: set})
	if err != nil {
		return err
	}
	return checkSettings(*c, data)
}
