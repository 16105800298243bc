package energy

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

var (
	_ Masking = nonNegative{}
	_ Masking = box{}
	_ Masking = clamp{}
)

// above is 1 where x > 0 and 0 elsewhere.
func above(x ad.Var) ad.Var { return ad.VJP(x.ReLU(), ad.Fill(x.Shape(), 1), x)[0] }

// Free is [h > 0].
func (nonNegative) Free(h ad.Var) ad.Var { return above(h) }

// Free is [Lo < h < Hi].
func (b box) Free(h ad.Var) ad.Var {
	free := ad.Fill(h.Shape(), 1)
	if !math.IsInf(b.Lo, -1) {
		free = free.Mul(above(h.Shift(-b.Lo)))
	}
	if !math.IsInf(b.Hi, 1) {
		free = free.Mul(above(h.Neg().Shift(b.Hi)))
	}
	return free
}

// Free is 0 in clamped rows and 1 in the others.
func (c clamp) Free(h ad.Var) ad.Var {
	fixed := ad.Fill(mat.Shape{Rows: c.rows.Len(), Cols: 1}, 1).SegmentSum(c.rows)
	return fixed.Neg().Shift(1).Expand(h.Shape())
}
