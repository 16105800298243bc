package main

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// logistic returns the weights W of a multinomial logistic regression, columns × classes, taught by some rows of x:
//
//	argmin Σ_v −log softmax(x_v W)_{y_v} + ridge/2 ‖W‖²
//
// by Newton's steps, each found by conjugate gradients and halved while it raises the sum.
func logistic(x input.Features, labels, teach []int32, classes int, ridge float64) (*mat.Dense, error) {
	const newton = 30
	shape := mat.Shape{Rows: x.Shape().Cols, Cols: classes}
	room := func() *mat.Dense { return mat.New(shape.Rows, shape.Cols) }
	w, step, before := room(), room(), room()
	in := ad.Input(w)
	loss := x.MatMul(in).CrossEntropy(mat.MustIndex(labels, classes), mat.MustIndex(teach, x.Shape().Rows)).
		Add(in.Dot(in).Scale(ridge / 2 / float64(len(teach))))
	grad := ad.Grad(loss, in)[0]
	value, slope := ad.Compile(loss), ad.Compile(loss, grad)
	cg := solve.NewDense(shape, func(p ad.Var) ad.Var { return ad.Grad(grad.Dot(p), in)[0] }) // ∇² p
	for range newton {
		if err := slope.Run(); err != nil {
			return nil, err
		}
		least := slope.Value(loss).Item()
		if _, err := cg.Solve(step, slope.Value(grad), 1e-3, 500); err != nil {
			return nil, err
		}
		mat.Copy(before, w)
		now := mat.Real(math.Inf(1))
		for length := -1.0; !(now <= least) && length < -1e-6; length /= 2 {
			mat.Axpby(w, before, step, 1, mat.Real(length))
			if err := value.Run(); err != nil {
				return nil, err
			}
			now = value.Value(loss).Item()
		}
		if !(now < least) { // the rest is rounding
			break
		}
	}
	return w, nil
}
