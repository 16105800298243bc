package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/part"
)

// Focal is the focal loss (Lin et al. 2017), cross-entropy that gives less weight to rows that are already right: the
// mean of
//
//	−(1 − p)^γ log p        p = softmax(z_v)[y_v]
//
// With γ = 0 it is CrossEntropy.
func Focal(gamma float64) Criterion { return focalLoss{gamma} }

type focalLoss struct {
	Gamma float64 `key:"{name}" range:"[0,∞)" doc:"γ: how strongly rows that are already right are down-weighted"`
}

var focal = part.Part[Criterion]{Name: "focal", Text: "the mean of −(1 − p)^γ log p", New: Focal(2)}

// Of returns the mean focal loss. 1 − p is the sum of the other probabilities, which does not cancel where p is near 1;
// it is bounded below by 1e-12, so derivatives are finite for every γ.
func (l focalLoss) Of(z ad.Var, y Target) ad.Var {
	if l.Gamma == 0 {
		return CrossEntropy.Of(z, y)
	}
	z, want := y.rows(z)
	rest := z.Softmax().RowDot(want.Neg().Shift(1))
	rest = rest.Max(ad.Fill(rest.Shape(), 1e-12))
	return y.mean(rest.Log().Scale(l.Gamma).Exp().Mul(z.LogSoftmax().RowDot(want)).Neg())
}
