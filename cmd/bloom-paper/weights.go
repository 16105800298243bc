package main

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// weights is descent.Weights with a given γ for features that stay sparse: H ← H − γ X Xᵀ∇.
type weights struct {
	x     input.Features
	gamma float64
}

var _ descent.Algorithm = weights{}

// Start begins at W = 0.
func (a weights) Start(h0 ad.Var) descent.State { return descent.State{H: ad.Fill(h0.Shape(), 0)} }

// Step is one layer.
func (a weights) Step(l *energy.Lower, s descent.State) descent.State {
	w := transposed(a.x, l.Grad(s.H)).Scale(a.gamma)
	return descent.State{H: s.H.Sub(a.x.MatMul(w)), Layer: s.Layer + 1}
}

// transposed is Xᵀg: the adjoint of the product with X.
func transposed(x input.Features, g ad.Var) ad.Var {
	w := ad.Input(mat.New(x.Shape().Cols, g.Cols()))
	return ad.VJP(x.MatMul(w), g, w)[0]
}

// curvature is the largest eigenvalue of Xᵀ∇²X, the curvature of a quadratic energy l in W where H = XW, by power
// iteration:
//
//	W ← Xᵀ∇²XW / ‖W‖,   ∇²H = ∇(H) − ∇(0)
//
// Such a number is a little too small; the bound that descent.Weights certifies for any energy is far above it.
func curvature(l *energy.Lower, x input.Features, seed uint64) (float64, error) {
	const iterations = 100
	w := mat.New(x.Shape().Cols, l.Pi.Cols())
	mat.Normal(w, 0, 1, seed)
	in := ad.Input(w)
	size := in.Dot(in).Sqrt()
	h := x.MatMul(in.Mul(size.Recip()))
	next := transposed(x, l.Grad(h).Sub(l.Grad(ad.Fill(h.Shape(), 0))))
	prog := ad.Compile(next, size)
	for range iterations {
		if err := prog.Run(); err != nil {
			return 0, err
		}
		mat.Copy(w, prog.Value(next))
	}
	return float64(prog.Value(size).Item()), nil
}
