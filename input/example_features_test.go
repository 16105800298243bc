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
	pi := input.NewMatrix("pi", 3, 2, 1)
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

// Parameters start in a range that suits their shape, uniformly in one that is given, or all alike.
func ExampleGlorot() {
	w := input.Glorot("w", 4, 2, 1)
	u := input.Uniform("u", 4, 2, 0.5, 1)
	b := input.Filled("b", 1, 2, 0.25)
	fmt.Println(w.Shape(), float64(w.Value().MaxAbs()) <= input.GlorotBound(4, 2),
		u.Value().MaxAbs() <= 0.5, b.Value().Slice())
	// Output: 4×2 true true [0.25 0.25]
}

// A norm gives every row, or column, mean 0 and variance 1, then a trained scale and shift.
func ExampleNewNorm() {
	n := input.NewNorm(input.LayerNorm, "norm", 2)
	z := ad.Const(mat.FromSlice(1, 2, []mat.Real{3, 5}))
	y := ad.Eval(n.Forward(input.Evaluation(), z)).Slice()
	fmt.Printf("%.2f %d\n", y, len(n.Params()))
	// Output: [-1.00 1.00] 2
}
