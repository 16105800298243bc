package energy

import (
	"cmp"

	"github.com/bloomgml/bloom/ad"
)

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

// fromSquares returns the distance for the squares of the entries, one number per row.
func (n Distance) fromSquares(squares ad.Var, eps float64) ad.Var {
	eps = cmp.Or(eps, smoothing)
	switch n {
	case NormL2:
		return squares.SumCols().Shift(eps).Sqrt()
	case NormL1:
		return squares.Shift(eps).Sqrt().SumCols()
	}
	return squares.SumCols()
}

// TransE scores by −‖h_u + e_r − h_v‖. An eps of 0 means 1e-6, as in RotatE.
func TransE(norm Distance, eps float64) QueryModel { return transE{norm, eps} }

type transE struct {
	norm Distance
	eps  float64
}

func (transE) Width(d int) int          { return d }
func (transE) Query(u, e ad.Var) ad.Var { return u.Add(e) }
func (transE) Inverse(e ad.Var) ad.Var  { return e.Neg() }
func (m transE) Compare() Comparison    { return Comparison{Norm: m.norm, Eps: m.eps} }
func (m transE) Score(u, e, v ad.Var) ad.Var {
	return m.norm.fromSquares(u.Add(e).Sub(v).Square(), m.eps).Neg()
}

// DistMult scores by Σ h_u ∘ e_r ∘ h_v, which is symmetric: every relation is its own inverse.
var DistMult QueryModel = distMult{}

type distMult struct{}

func (distMult) Width(d int) int             { return d }
func (distMult) Query(u, e ad.Var) ad.Var    { return u.Mul(e) }
func (distMult) Inverse(e ad.Var) ad.Var     { return e }
func (distMult) Compare() Comparison         { return Comparison{Inner: true} }
func (distMult) Score(u, e, v ad.Var) ad.Var { return u.Mul(e).RowDot(v) }

// ComplEx scores by Re Σ h_u ∘ e_r ∘ h̄_v, rows, e_r too, being complex vectors stored as [Re | Im].
var ComplEx QueryModel = complEx{}

type complEx struct{}

func (complEx) Width(d int) int             { return d }
func (complEx) Query(u, e ad.Var) ad.Var    { return join(parts(u).mul(parts(e))) }
func (complEx) Compare() Comparison         { return Comparison{Inner: true, Pairs: true} }
func (complEx) Score(u, e, v ad.Var) ad.Var { return join(parts(u).mul(parts(e))).RowDot(v) }

// Inverse returns the conjugate: Re Σ h_u ∘ e_r ∘ h̄_v is the real part of its own conjugate.
func (complEx) Inverse(e ad.Var) ad.Var {
	z := parts(e)
	return join(complexVar{z.re, z.im.Neg()})
}

// RotatE scores by −‖h_u ∘ exp(iθ_r) − h_v‖, where rows of h are complex vectors stored as [Re | Im] and rows of e are
// the d/2 angles θ_r. NormL1 is the sum of moduli of the original, NormSquared the smooth one. The rotation back, −θ_r,
// keeps distances.
func RotatE(norm Distance, eps float64) QueryModel { return rotatE{norm, eps} }

type rotatE struct {
	norm Distance
	eps  float64
}

func (rotatE) Width(d int) int          { return d / 2 }
func (rotatE) Query(u, e ad.Var) ad.Var { return join(turn(u, e)) }
func (rotatE) Inverse(e ad.Var) ad.Var  { return e.Neg() }
func (m rotatE) Compare() Comparison    { return Comparison{Norm: m.norm, Eps: m.eps, Pairs: true} }
func (m rotatE) Score(u, e, v ad.Var) ad.Var {
	z := turn(u, e).sub(parts(v))
	return m.norm.fromSquares(z.re.Square().Add(z.im.Square()), m.eps).Neg()
}

// turn returns u ∘ exp(iθ).
func turn(u, theta ad.Var) complexVar {
	return parts(u).mul(complexVar{theta.Map("cos", 0), theta.Map("sin", 0)})
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

// mul returns a∘b: (a + ib)(c + id) = ac − bd + i(ad + bc).
func (z complexVar) mul(y complexVar) complexVar {
	return complexVar{z.re.Mul(y.re).Sub(z.im.Mul(y.im)), z.re.Mul(y.im).Add(z.im.Mul(y.re))}
}

func (z complexVar) sub(y complexVar) complexVar {
	return complexVar{z.re.Sub(y.re), z.im.Sub(y.im)}
}
