package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// squarings makes the bound of spectralSquare exact up to a factor rank(C)^(1/2·2^squarings): 4 squarings
// give at most 1.25 for C of rank 1,024, and 1.0 for one large singular value.
const squarings = 4

// tiny keeps roots away from 0; compared with squares of usual size it is negligible.
const tiny = 1e-30

// spectralSquare returns an upper bound, 1×1, on σ², the square of the largest singular value of C. With G = CᵀC and k
// = 2^squarings:
//
//	σ² = ‖G^k‖₂^(1/k) ≤ ‖G^k‖_F^(1/k)
//
// Every power is divided by its norm n_i before it is squared, so nothing overflows; the bound is then n₀ √(n₁ √(n₂
// …)). It is smooth in C, also where singular values meet; where one is the largest by far, its derivative is near the
// derivative of σ² at the pair u, v, which is 2σ u vᵀ.
func spectralSquare(c ad.Var) ad.Var { return powers{}.bound(c) }

// spectralNorm returns the root of spectralSquare; at C = 0 it is almost 0, and its derivative finite.
func spectralNorm(c ad.Var) ad.Var { return spectralSquare(c).Shift(tiny).Sqrt() }

// spectralSquares returns spectralSquare of every d×d matrix of a stack, one row each; squares are groups of d rows.
func spectralSquares(c ad.Var, squares *mat.Groups) ad.Var { return powers{squares}.bound(c) }

// powers belong to one matrix, or to every group of rows of a stack of matrices.
type powers struct{ groups *mat.Groups }

// bound computes spectralSquare.
func (p powers) bound(c ad.Var) ad.Var {
	c, size := p.unit(c)
	g := p.gram(c)
	var norms [squarings + 1]ad.Var
	for i := range norms {
		if i > 0 {
			g = p.square(g)
		}
		g, norms[i] = p.unit(g)
	}
	bound := norms[squarings]
	for i := squarings - 1; i >= 0; i-- {
		bound = norms[i].Mul(bound.Sqrt())
	}
	const rounding = 1 + 1e-5 // of the products, in float32
	return bound.Mul(size.Square()).Scale(rounding)
}

// gram returns CᵀC.
func (p powers) gram(c ad.Var) ad.Var {
	if p.groups == nil {
		return c.TMatMul(c)
	}
	return c.GroupMatMul(p.groups, c, mat.TN)
}

// square returns G².
func (p powers) square(g ad.Var) ad.Var {
	if p.groups == nil {
		return g.MatMul(g)
	}
	return g.GroupMatMul(p.groups, g, mat.NN)
}

// unit returns x/‖x‖_F and ‖x‖_F; 0 and almost 0 for x = 0, where derivatives stay finite.
func (p powers) unit(x ad.Var) (direction, norm ad.Var) {
	if p.groups == nil {
		norm = x.Dot(x).Shift(tiny).Sqrt()
		return x.Mul(norm.Recip()), norm
	}
	flat := x.Reshape(p.groups.Len(), x.Shape().Len()/p.groups.Len())
	norm = flat.RowDot(flat).Shift(tiny).Sqrt()
	return flat.Mul(norm.Recip()).Reshape(x.Rows(), x.Cols()), norm
}
