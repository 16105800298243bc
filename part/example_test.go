package part_test

import (
	"fmt"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/part"
)

// The table of a kind says what files can name.
func ExampleKind() {
	var table part.Kind[energy.Penalty] = energy.Penalties
	for _, p := range table.Parts[:3] {
		fmt.Println(p.Name, "is", p.Text)
	}
	// Output:
	// half-squared is z²/2
	// squared is z²
	// log-cosh is log cosh z
}
