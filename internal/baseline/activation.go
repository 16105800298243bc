package baseline

import (
	"math"

	"github.com/bloomgml/bloom/ad"
)

// Activation is the function that follows a layer, entry by entry.
type Activation uint8

// The activations. Default is GELU in Blocks, ELU in gat, and ReLU elsewhere.
const (
	Default Activation = iota
	ReLU
	GELU
	ELU
)

// apply returns a of z, def if a is Default.
func (a Activation) apply(z ad.Var, def Activation) ad.Var {
	if a == Default {
		a = def
	}
	switch a {
	case GELU:
		return gelu(z)
	case ELU:
		return elu(z)
	}
	return z.ReLU()
}

// gelu returns x Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016), as their approximation
//
//	x σ( 2√(2/π) (x + 0.044715 x³) )
//
// which differs from it by less than 0.0005.
func gelu(x ad.Var) ad.Var {
	slope := 2 * math.Sqrt(2/math.Pi)
	inner := x.Square().Scale(0.044715 * slope).Shift(slope).Mul(x)
	return x.Mul(inner.Sigmoid())
}

// elu returns x above zero and eˣ − 1 below (Clevert et al. 2016): x⁺ + exp(x − x⁺) − 1.
func elu(x ad.Var) ad.Var {
	positive := x.ReLU()
	return x.Sub(positive).Exp().Add(positive).Shift(-1)
}
