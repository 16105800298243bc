package tune_test

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/tune"
)

// Spaces that are worth searching for a recipe come with the package.
func ExampleFindSpace() {
	names := tune.Spaces()
	space, err := tune.FindSpace(names[0])
	fmt.Println(slices.IsSorted(names), len(space) > 0, space.Check(), err)
	fmt.Println(tune.Text(0.001), tune.Text("adam"), tune.Text(true))
	// Output:
	// true true <nil> <nil>
	// 0.001 adam true
}
