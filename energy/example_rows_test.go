package energy_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Old rows stay where they are while a new one moves within h ≥ 0.
func ExampleHeld() {
	old := mat.FromSlice(1, 2, []mat.Real{5, -5})
	eta, err := energy.Held([]int32{0}, 2, old, energy.NonNegative)
	if err != nil {
		panic(err)
	}
	h := ad.Const(mat.FromSlice(2, 2, []mat.Real{1, 1, 2, -2}))
	fmt.Println(ad.Eval(eta.Prox(h, ad.Number(1))).Slice())
	// Output: [5 -5 2 0]
}

// Two equal columns span one direction.
func ExampleBasis() {
	u, err := energy.Basis(mat.FromSlice(2, 2, []mat.Real{3, 3, 4, 4}))
	fmt.Println(u.Shape(), err)
	// Output: 2×1 <nil>
}
