package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Clamp is η(h_v) = I∞[h_v ≠ y_v] for some rows v out of nodes (eq: energy_lp): labels that must stay. Row i of y,
// which must not change, belongs to rows[i]. Its prox overwrites those rows, for every γ; it is convex. A row that is
// out of range, a duplicate or without a value is an error.
func Clamp(rows []int32, nodes int, y *mat.Dense) (Constraint, error) {
	return newClamp(rows, nodes, y)
}

var _ Masking = clamp{}

type clamp struct {
	rows *mat.Index // none twice
	to   *mat.Dense // one row each
}

func newClamp(rows []int32, nodes int, value *mat.Dense) (clamp, error) {
	idx, err := mat.NewIndex(rows, nodes)
	if err != nil {
		return clamp{}, fmt.Errorf("energy: clamped rows: %w", err)
	}
	if value.Rows() != len(rows) {
		return clamp{}, fmt.Errorf("energy: %d clamped rows with %d values", len(rows), value.Rows())
	}
	first := make(map[int32]int, len(rows))
	for i, v := range rows {
		if j, twice := first[v]; twice {
			return clamp{}, fmt.Errorf("energy: clamped rows: row %d is at positions %d and %d", v, j, i)
		}
		first[v] = i
	}
	return clamp{idx, value}, nil
}

func (c clamp) Prox(h, gamma ad.Var) ad.Var { return c.project(h) }

func (c clamp) project(h ad.Var) ad.Var {
	free := ad.Fill(mat.Shape{Rows: c.rows.Len(), Cols: 1}, -1).SegmentSum(c.rows).Shift(1)
	return h.Mul(free).Add(ad.Const(c.to).SegmentSum(c.rows))
}

func (c clamp) Value(h *mat.Dense) float64 { return indicator(h, c.project) }
func (clamp) Convex() bool                 { return true }

// Free returns 0 in clamped rows and 1 in the others.
func (c clamp) Free(h ad.Var) ad.Var {
	fixed := ad.Fill(mat.Shape{Rows: c.rows.Len(), Cols: 1}, 1).SegmentSum(c.rows)
	return fixed.Neg().Shift(1).Expand(h.Shape())
}

// Held is η with some rows of H that must not move, given as for Clamp: new nodes settle among old ones that stay where
// they are. A nil eta leaves the other rows unconstrained.
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

// Prox returns the prox of eta, with the held rows overwritten.
func (c held) Prox(h, gamma ad.Var) ad.Var {
	if c.eta != nil {
		h = c.eta.Prox(h, gamma)
	}
	return c.rows.project(h)
}

// Value returns 0, or +Inf where a held row has moved or another row is not where eta wants it.
func (c held) Value(h *mat.Dense) float64 {
	v := c.rows.Value(h)
	if c.eta != nil {
		v += c.eta.Value(h)
	}
	return v
}

func (c held) Convex() bool { return c.eta == nil || c.eta.Convex() }
