package bloom_test

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// The square of the only column: of 9, the mean of the column accounts for 4 and the row of the node for 5.
func ExampleContributionsOf() {
	x := input.Dense(mat.FromSlice(2, 1, []mat.Real{3, 1}))
	c, err := bloom.ContributionsOf(x, func(x input.Features) (ad.Var, error) {
		return x.Var().Mul(x.Var()), nil
	}, 0, []float64{1})
	check(err)
	fmt.Printf("%.2f before, %.2f of its column, %.2f together\n", c.Base, c.Own[0], c.Sum())
	// Output: 4.00 before, 5.00 of its column, 9.00 together
}
