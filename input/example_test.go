package input_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// A model is built once and written down twice: for training with dropout, for evaluation without.
func ExampleNewMLP() {
	pi, err := input.NewMLP(input.MLP{Name: "pi", Sizes: []int{3, 8, 2}, Dropout: 0.5, Seed: 1})
	if err != nil {
		panic(err)
	}
	x := input.Dense(mat.New(5, 3))
	train := pi.Forward(input.Training(&ad.Clock{Seed: 1}), x)
	test := pi.Forward(input.Evaluation(), x)
	for _, p := range pi.Params() {
		fmt.Print(p.Name, " ", p.Shape(), "  ")
	}
	fmt.Println(train.Shape(), ad.Eval(test).Shape())
	// Output: pi.0.W 3×8  pi.0.b 1×8  pi.1.W 8×2  pi.1.b 1×2  5×2 5×2
}
