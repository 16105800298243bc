package config_test

import (
	"fmt"

	"github.com/bloomgml/bloom/config"
)

// Recipes of one family have the same keys.
func ExampleFamilyOf() {
	for _, recipe := range []string{"robust", "distmult", "distmult-bilevel", "path", "zero"} {
		f := config.FamilyOf(recipe)
		fmt.Println(recipe, f, f.IsFacts())
	}
	// Output:
	// robust nodes false
	// distmult embeddings true
	// distmult-bilevel bilevel true
	// path paths true
	// zero zero true
}
