package kg

import (
	"errors"
	"testing"

	"github.com/bloomgml/bloom/recipe"
)

// TestFor: every recipe has settings that can be, under its own name, and is one of package recipe.
func TestFor(t *testing.T) {
	for _, name := range Recipes() {
		c, err := For(name, "WN18RR")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.filled().check(); err != nil || c.Name() != name {
			t.Errorf("%s: settings of %s, %v", name, c.Name(), err)
		}
		if _, err := recipe.Find(name); err != nil {
			t.Error(err)
		}
	}
	var unknown *Unknown
	if _, err := For("dismult", ""); !errors.As(err, &unknown) || unknown.Nearest != "distmult" {
		t.Errorf("error %v", err)
	}
}
