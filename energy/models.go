package energy

import "github.com/bloomgml/bloom/ad"

// Distance is the norm of models by distance.
type Distance uint8

// The distances of a residual z, with ε a small number that rounds off the kink at 0.
const (
	NormSquared Distance = iota // Σ z²
	NormL2                      // √(Σ z² + ε)
	NormL1                      // Σ √(z² + ε), z² being the squared modulus where entries are complex
)

// smoothing is ε where a model does not give one.
const smoothing = 1e-6

// of is the distance for the squares of the entries, one number per row.
func (n Distance) of(squares ad.Var, eps float64) ad.Var {
	eps = orSmoothing(eps)
	switch n {
	case NormL2:
		return squares.SumCols().Shift(eps).Sqrt()
	case NormL1:
		return squares.Shift(eps).Sqrt().SumCols()
	}
	return squares.SumCols()
}

// orSmoothing is ε, smoothing where it is 0.
func orSmoothing(eps float64) float64 {
	if eps == 0 {
		return smoothing
	}
	return eps
}

// TransE scores by −‖h_u + e_r − h_v‖.
type TransE struct {
	Norm Distance
	Eps  float64 // ε; 0 means 1e-6
}

// Width is d.
func (TransE) Width(d int) int { return d }

// Score is the negated distance.
func (m TransE) Score(u, e, v ad.Var) ad.Var {
	return m.Norm.of(u.Add(e).Sub(v).Square(), m.Eps).Neg()
}

// DistMult scores by Σ h_u ∘ e_r ∘ h_v.
type DistMult struct{}

// Width is d.
func (DistMult) Width(d int) int { return d }

// Score is the trilinear product.
func (DistMult) Score(u, e, v ad.Var) ad.Var { return u.Mul(e).RowDot(v) }

// ComplEx scores by Re Σ h_u ∘ e_r ∘ h̄_v, rows being complex vectors stored as [Re | Im].
type ComplEx struct{}

// Width is d: e_r is complex too.
func (ComplEx) Width(d int) int { return d }

// Score is the real part of the trilinear product.
func (ComplEx) Score(u, e, v ad.Var) ad.Var { return join(parts(u).mul(parts(e))).RowDot(v) }

// RotatE scores by −‖h_u ∘ exp(iθ_r) − h_v‖, rows being complex vectors stored as [Re | Im] and those of
// e the angles θ_r. Norm NormL1 is the sum of moduli of the original, NormSquared the smooth one.
type RotatE struct {
	Norm Distance
	Eps  float64 // ε; 0 means 1e-6
}

// Width is d/2: an angle for every complex number.
func (RotatE) Width(d int) int { return d / 2 }

// Score is the negated distance after the rotation.
func (m RotatE) Score(u, e, v ad.Var) ad.Var {
	z := parts(u).mul(complexVar{e.Cos(), e.Sin()}).sub(parts(v))
	return m.Norm.of(z.re.Square().Add(z.im.Square()), m.Eps).Neg()
}

// complexVar is a complex matrix.
type complexVar struct{ re, im ad.Var }

// parts reads rows [Re | Im].
func parts(v ad.Var) complexVar {
	if v.Cols()%2 != 0 {
		panic("energy: complex rows of an odd number of columns")
	}
	k := v.Cols() / 2
	return complexVar{v.Columns(0, k), v.Columns(k, 2*k)}
}

// join writes rows [Re | Im].
func join(z complexVar) ad.Var { return ad.Concat(z.re, z.im) }

// mul is a∘b: (a + ib)(c + id) = ac − bd + i(ad + bc).
func (z complexVar) mul(y complexVar) complexVar {
	return complexVar{z.re.Mul(y.re).Sub(z.im.Mul(y.im)), z.re.Mul(y.im).Add(z.im.Mul(y.re))}
}

func (z complexVar) sub(y complexVar) complexVar {
	return complexVar{z.re.Sub(y.re), z.im.Sub(y.im)}
}
