package input_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Features are dense, sparse, an expression, or none; one linear model takes all that have columns.
func ExampleSparse() {
	s, err := mat.NewSparse(2, 3, []int64{0, 1, 3}, []int32{2, 0, 1})
	if err != nil {
		panic(err)
	}
	words := input.Sparse(s, mat.FromSlice(3, 1, []mat.Real{1, 1, 1}))
	same := input.Of(ad.Const(mat.FromSlice(2, 3, []mat.Real{0, 0, 1, 1, 1, 0})))
	pi := input.Linear{W: input.Glorot("pi.W", 3, 2, 1)} // without a bias
	a := ad.Eval(pi.Forward(input.Evaluation(), words)).Slice()
	b := ad.Eval(pi.Forward(input.Evaluation(), same)).Slice()
	fmt.Println(a[0] == b[0], len(a), len(b))
	// Output: true 4 4
}

// Nodes without features get a trained row each.
func ExampleNewEmbedding() {
	pi := input.NewEmbedding("pi", 5, 3, 1)
	h := pi.Forward(input.Evaluation(), input.None(5))
	fmt.Println(h.Shape(), pi.Params()[0].Name)
	// Output: 5×3 pi
}

// Parameters start in a range that suits their shape, ±√(6/(rows + cols)).
func ExampleGlorot() {
	w := input.Glorot("w", 4, 2, 1)
	fmt.Println(w.Shape(), w.Value().MaxAbs() <= 1)
	// Output: 4×2 true
}

// A norm gives every row, or column, mean 0 and variance 1, then a trained scale and shift.
func ExampleNewNorm() {
	n := input.NewNorm(input.LayerNorm, "norm", 2)
	z := ad.Const(mat.FromSlice(1, 2, []mat.Real{3, 5}))
	y := ad.Eval(n.Forward(input.Evaluation(), z)).Slice()
	fmt.Printf("%.2f %d\n", y, len(n.Params()))
	// Output: [-1.00 1.00] 2
}
