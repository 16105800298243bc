package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Activation is the η whose prox is F: any function of entries that does not decrease is the prox of some
// η (Proposition 2; Gribonval and Nikolova 2020), the same F for every γ. For F(y) = z that is
//
//	γη(z) = y z − ∫₀ʸ F − z²/2
//
// which no expression in F gives without its inverse.
//
// Chosen: Value comes from Eta where it is given, else 0, and energies then leave η out. η is convex where F
// does not stretch, |F(a) − F(b)| ≤ |a − b|; as nothing checks that, Convex is what Contracts says.
type Activation struct {
	Title     string
	F         func(ad.Var) ad.Var
	Eta       func(h ad.Var) ad.Var // Σ_v η(h_v), 1×1, for γ = 1; nil means unknown
	Contracts bool                  // F does not stretch, as ReLU, tanh and softplus do not
}

var _ Constraint = Activation{}

// Prox is F(h).
func (a Activation) Prox(h, gamma ad.Var) ad.Var { return a.F(h) }

// Value is Eta, or 0 where it is unknown.
func (a Activation) Value(h *mat.Dense) float64 {
	if a.Eta == nil {
		return 0
	}
	return float64(ad.Eval(a.Eta(ad.Input(h))).Item())
}

// Convex is what Contracts says.
func (a Activation) Convex() bool { return a.Contracts }

// Name is the title.
func (a Activation) Name() string { return a.Title }
