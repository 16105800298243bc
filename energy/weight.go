package energy

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Weight is a positive number λ in front of a term: fixed, or trained. The zero value is the fixed number 1.
type Weight struct {
	v     ad.Var
	param *ad.Param
}

// Fixed is the number λ.
func Fixed(lambda float64) Weight { return Weight{v: ad.Number(lambda)} }

// Trained is λ = softplus(θ) with a trained θ, starting at the given λ.
//
// Chosen: the paper does not say how a trained λ is kept positive.
func Trained(name string, lambda float64) Weight {
	theta := lambda + math.Log(-math.Expm1(-lambda)) // the inverse of softplus
	p := ad.NewParam(name, mat.Scalar(mat.Real(theta)))
	return Weight{v: p.Softplus(), param: p}
}

// Var is λ as a 1×1 expression.
func (w Weight) Var() ad.Var {
	if w.v.IsZero() {
		return ad.Number(1)
	}
	return w.v
}

// Params are θ, or nothing.
func (w Weight) Params() []*ad.Param {
	if w.param == nil {
		return nil
	}
	return []*ad.Param{w.param}
}
