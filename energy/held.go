package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Held is η with some rows of H that must not move, given as for Clamp: new nodes settle among old ones that stay where
// they are. A nil eta asks nothing of the others.
//
//	η(h_v) = I∞[h_v ≠ y_v] for held rows v,   eta elsewhere
func Held(rows []int32, nodes int, y *mat.Dense, eta Constraint) (Constraint, error) {
	c, err := newClamp(rows, nodes, y)
	return held{c, eta}, err
}

type held struct {
	rows clamp
	eta  Constraint
}

// Prox is the prox of eta, with the held rows overwritten.
func (c held) Prox(h, gamma ad.Var) ad.Var {
	if c.eta != nil {
		h = c.eta.Prox(h, gamma)
	}
	return c.rows.project(h)
}

// Value is 0, or +Inf where a held row has moved or another row is not where eta wants it.
func (c held) Value(h *mat.Dense) float64 {
	v := c.rows.Value(h)
	if c.eta != nil {
		v += c.eta.Value(h)
	}
	return v
}

func (c held) Convex() bool { return c.eta == nil || c.eta.Convex() }
