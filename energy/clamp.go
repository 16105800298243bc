package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Clamp is η(h_v) = I∞[h_v ≠ y_v] for some rows v (eq: energy_lp): labels that must stay. Its prox overwrites
// those rows, for every γ; it is convex.
type Clamp struct {
	Rows *mat.Index // which rows, none twice
	To   *mat.Dense // y, one row each; must not change
}

var _ Constraint = Clamp{}

// NewClamp is a Clamp of rows out of nodes, or an error where a row is out of range, stands twice, or
// has no value.
func NewClamp(rows []int32, nodes int, value *mat.Dense) (Clamp, error) {
	idx, err := mat.NewIndex(rows, nodes)
	if err != nil {
		return Clamp{}, fmt.Errorf("energy: clamped rows: %w", err)
	}
	if value.Rows() != len(rows) {
		return Clamp{}, fmt.Errorf("energy: %d clamped rows with %d values", len(rows), value.Rows())
	}
	first := make(map[int32]int, len(rows))
	for i, v := range rows {
		if j, twice := first[v]; twice {
			return Clamp{}, fmt.Errorf("energy: clamped rows: row %d stands at positions %d and %d", v, j, i)
		}
		first[v] = i
	}
	return Clamp{idx, value}, nil
}

// Prox is h with its rows overwritten.
func (c Clamp) Prox(h, gamma ad.Var) ad.Var { return c.project(h) }

func (c Clamp) project(h ad.Var) ad.Var {
	free := ad.Fill(mat.Shape{Rows: c.Rows.Len(), Cols: 1}, -1).SegmentSum(c.Rows).Shift(1)
	return h.Mul(free).Add(ad.Const(c.To).SegmentSum(c.Rows))
}

// Value is 0, or +Inf where a clamped entry is off by more than Slack.
func (c Clamp) Value(h *mat.Dense) float64 { return indicator(h, c.project) }

// Convex is true.
func (Clamp) Convex() bool { return true }
