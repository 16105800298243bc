package ad_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// The gradient of y = Σ (x·w)² is an expression like y itself: both are planned together and then
// run again and again, while a parameter changes in place.
func ExampleGrad() {
	x := ad.Const(mat.FromSlice(2, 2, []mat.Real{
		1, 2,
		0, 1,
	}))
	w := ad.NewParam("w", mat.FromSlice(2, 1, []mat.Real{3, -1}))
	y := x.MatMul(w.Var).Square().Sum()
	dw := ad.Grad(y, w.Var)[0]

	prog := ad.Compile(y, dw)
	for range 2 {
		if err := prog.Run(); err != nil {
			panic(err)
		}
		fmt.Println(prog.Value(y).Item(), prog.Value(dw).Slice())
		mat.Axpby(w.Value(), w.Value(), prog.Value(dw), 1, -0.125) // w ← w − dw/8
	}
	// Output:
	// 2 [2 2]
	// 1.625 [0.5 -1.5]
}

// A layer is a descent step on an energy, h − γ·∂E/∂h, and so a derivative already; training
// differentiates it once more, to the weight λ of the energy E = ½‖h − p‖² + λ/2‖h‖².
func ExampleGrad_descent() {
	p := ad.Const(mat.FromSlice(1, 2, []mat.Real{2, -4}))
	lambda := ad.NewParam("λ", mat.Scalar(1))
	h := p
	for range 2 {
		energy := h.Sub(p).Square().Sum().Add(h.Square().Sum().Mul(lambda.Var)).Scale(0.5)
		h = h.Sub(ad.Grad(energy, h)[0].Scale(0.5))
	}
	loss := h.Square().Sum()
	fmt.Println("h", ad.Eval(h).Slice())
	fmt.Println("∂loss/∂λ", ad.Eval(ad.Grad(loss, lambda.Var)[0]).Item())
	// Output:
	// h [1 -2]
	// ∂loss/∂λ -5
}

// cube is an operation of our own: x³, entry by entry.
type cube struct{}

func (cube) Name() string                      { return "cube" }
func (cube) Shapes(in []mat.Shape) []mat.Shape { return in }

func (cube) Eval(out, in []*mat.Dense) {
	mat.Mul(out[0], in[0], in[0], 1, false)
	mat.Mul(out[0], out[0], in[0], 1, false)
}

// VJP is 3x²∘g, an expression, so that it has derivatives too.
func (cube) VJP(in, out, g []ad.Var) []ad.Var {
	return []ad.Var{in[0].Square().Mul(g[0]).Scale(3)}
}

// An Op brings its own evaluation and derivative; higher derivatives follow from the first.
func ExampleOp() {
	x := ad.Input(mat.FromSlice(1, 3, []mat.Real{1, 2, -3}))
	y := ad.Apply(cube{}, x)[0].Sum()
	first := ad.Grad(y, x)[0]
	second := ad.Grad(first.Sum(), x)[0]
	fmt.Println(ad.Eval(y).Item(), ad.Eval(first).Slice(), ad.Eval(second).Slice())
	// Output: -18 [3 12 27] [6 12 -18]
}
