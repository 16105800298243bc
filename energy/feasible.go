package energy

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// indicator is the value at h of a constraint that is 0 on a set and +Inf outside, given the projection
// on that set. Rounding must not make a point of the set infinite: h counts as inside where no entry is
// further from its projection than slack times the largest |entry|, or than slack itself. A NaN is outside.
func indicator(h *mat.Dense, projection func(ad.Var) ad.Var) float64 {
	x := ad.Input(h)
	off := ad.Eval(x.Sub(projection(x)))
	if float64(off.MaxAbs()) <= slack()*max(1, float64(h.MaxAbs())) {
		return 0
	}
	return math.Inf(1)
}

// slack is how far a point may be from a set and still count as inside: 1024 units of rounding, 1.2e-4 in
// single and 2.3e-13 in double precision. A projection that sums k rounded products is off by about √k
// units; this allows for a million.
func slack() float64 {
	if mat.New(1, 1).Bytes() == 8 {
		return 0x1p-42
	}
	return 0x1p-13
}
