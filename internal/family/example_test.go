package family_test

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/family"
)

// Recipes of one family have the same keys.
func ExampleOf() {
	for _, recipe := range []string{"robust", "distmult", "distmult-bilevel", "path"} {
		f := family.Of(recipe)
		fmt.Println(recipe, f, f.Links())
	}
	// Output:
	// robust nodes false
	// distmult embeddings true
	// distmult-bilevel bilevel true
	// path paths true
}
