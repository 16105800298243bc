package energy

import (
	"math"
	"math/bits"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Simplex is η(h) = I∞[h ∉ Δ], row by row, Δ = {h ≥ 0, Σ_j h_j = 1}: rows are probabilities. Its prox is the projection
//
//	max(0, h − τ)        τ with Σ_j max(0, h_j − τ) = 1
//
// for every γ; it is convex. Its derivative projects on the face where h ends: a mean is taken off the
// entries that stay positive.
var Simplex Constraint = simplex{}

type simplex struct{}

func (simplex) Prox(h, gamma ad.Var) ad.Var { return onSimplex(h) }

// onSimplex finds the entries that stay positive by Newton's method on Σ max(0, h_j − τ) − 1, which is convex and
// falls, and then takes τ from them. Overview: h is first shifted, which does not change the result, to bring its
// largest entry m between −log d and 0; τ ≥ m − 1. From below the root every step drops entries until none is left to
// drop, and excess times count falls to a quarter at least (as in Dinkelbach's method): the steps taken are enough for
// rounding.
func onSimplex(h ad.Var) ad.Var {
	x := ad.Stop(h)
	x = ad.Stop(x.Sub(x.Softmax().RowDot(x.Sub(x.LogSoftmax()))))
	d := h.Cols()
	tau := ad.Fill(mat.Shape{Rows: h.Rows(), Cols: 1}, -1-math.Log(float64(d)))
	one := ad.Fill(tau.Shape(), 1)
	for range min(d, 8*mat.New(1, 1).Bytes()/2+bits.Len(uint(d))+2) {
		over := x.Sub(tau)
		tau = tau.Add(over.ReLU().SumCols().Shift(-1).Div(above(over).SumCols().Max(one)))
	}
	face := ad.Stop(above(x.Sub(tau)))
	share := face.SumCols().Recip()
	return h.Sub(h.Mul(face).SumCols().Mul(share)).Add(share).ReLU()
}

func (simplex) Value(h *mat.Dense) float64 { return indicator(h, onSimplex) }
func (simplex) Convex() bool               { return true }

func (simplex) Text() (eta, prox string) {
	return "I∞[h_v ∉ Δ], Δ the probabilities", "max(0, z − τ) with τ for a sum of 1, z = %s"
}
