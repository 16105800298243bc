package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Held is η with some rows of H that must not move: new nodes settle among old ones that stay where they are.
//
//	η(h_v) = I∞[h_v ≠ y_v] for held rows v,   Eta elsewhere
type Held struct {
	Rows Clamp      // the held rows and where they are
	Eta  Constraint // of the other rows; nil means none
}

var _ Constraint = Held{}

// Prox is the prox of Eta, with the held rows overwritten.
func (c Held) Prox(h, gamma ad.Var) ad.Var {
	if c.Eta != nil {
		h = c.Eta.Prox(h, gamma)
	}
	return c.Rows.project(h)
}

// Value is 0, or +Inf where a held row has moved or another row is not where Eta wants it.
func (c Held) Value(h *mat.Dense) float64 {
	v := c.Rows.Value(h)
	if c.Eta != nil {
		v += c.Eta.Value(h)
	}
	return v
}

// Convex asks Eta.
func (c Held) Convex() bool { return c.Eta == nil || c.Eta.Convex() }
