package paper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// curvature is the largest eigenvalue of Xᵀ∇²X, the curvature of a quadratic energy l in W where H = XW, by power iteration:
//
//	W ← Xᵀ∇²XW / ‖W‖,   ∇²H = ∇(H) − ∇(0)
//
// Such a number is a little too small; the bound that descent.Weights certifies for any energy is far above it.
func curvature(l *energy.Lower, seed uint64) (float64, error) {
	const iterations = 100
	w := mat.New(l.X.Cols(), l.Pi.Cols())
	mat.Normal(w, 0, 1, seed)
	in := ad.Input(w)
	size := in.Dot(in).Sqrt()
	h := l.X.MatMul(in.Mul(size.Recip()))
	next := l.X.TMatMul(l.Grad(h).Sub(l.Grad(ad.Zeros(h.Shape()))))
	prog := ad.Compile(next, size)
	for range iterations {
		if err := prog.Run(); err != nil {
			return 0, err
		}
		mat.Copy(w, prog.Value(next))
	}
	return float64(prog.Value(size).Item()), nil
}
