package upper_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// A perceptron, a linear head and cross-entropy learn the exclusive or.
func ExampleSupervised() {
	x := input.Dense(mat.FromSlice(4, 2, []mat.Real{0, 0, 0, 1, 1, 0, 1, 1}))
	labels, _ := mat.NewIndex([]int32{0, 1, 1, 0}, 2)
	pi, err := input.NewMLP(input.MLP{Name: "pi", Sizes: []int{2, 8, 8}, Activation: ad.Var.Tanh, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	up := upper.Supervised{Head: upper.NewLinear("head", 8, 2, 1), Criterion: upper.CrossEntropy,
		Target: upper.Target{Class: labels}}

	train := input.Training(&ad.Clock{})
	loss := up.Loss(train, pi.Forward(train, x))
	params := append(pi.Params(), up.Params()...)
	outputs := []ad.Var{loss}
	for _, p := range params {
		outputs = append(outputs, ad.Grad(loss, p.Var)[0])
	}
	prog := ad.Compile(outputs...)
	for range 500 {
		if err := prog.Run(); err != nil {
			fmt.Println(err)
			return
		}
		for i, p := range params {
			mat.Axpby(p.Value(), p.Value(), prog.Value(outputs[i+1]), 1, -0.5)
		}
	}
	fmt.Println("learnt:", prog.Value(loss).Item() < 0.05)
	// Output: learnt: true
}

// A head may be a perceptron, which a descent cannot be exchanged with.
func ExampleNewMLP() {
	head, err := upper.NewMLP(input.MLP{Name: "head", Sizes: []int{4, 8, 3}, Seed: 1})
	if err != nil {
		panic(err)
	}
	_, _, affine := head.Affine()
	fmt.Println(head.Predict(input.Evaluation(), ad.Const(mat.New(5, 4))).Shape(), affine)
	y := upper.Target{Class: mat.MustIndex([]int32{0}, 2)}
	z := ad.Const(mat.New(1, 2)) // no class is likelier than the other
	fmt.Printf("%.3f %.3f\n", ad.Eval(upper.CrossEntropy.Of(z, y)).Item(), ad.Eval(upper.Focal(2).Of(z, y)).Item())
	// Output:
	// 5×3 false
	// 0.693 0.173
}

func ExampleHuber() {
	z, y := ad.Input(mat.FromSlice(2, 1, []mat.Real{0.5, 5})), mat.New(2, 1)
	for _, c := range []upper.Criterion{upper.Squared, upper.Huber(1)} {
		fmt.Println(ad.Eval(c.Of(z, upper.Target{Value: y})).Item())
	}
	// Output:
	// 12.625
	// 2.3125
}
