package pair

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// columns computes the description of a pair besides its embeddings.
type columns struct {
	near     *neighbours
	alike    *alike     // nil if not requested
	common   bool       // what neighbours say
	mean, sd []mat.Real // nil if columns are taken as they are
}

// newColumns returns the columns that c asks for, scaled by the first nodes; the error is a *train.BadSetting.
func newColumns(c config.Config, d *dataset.Dataset, first int, near *neighbours) (*columns, error) {
	cols := &columns{near: near, common: c.Pairs.Common}
	if !c.Pairs.Alike {
		return cols, nil
	}
	if !featured(d) {
		return nil, &train.BadSetting{Key: "pairs.alike", Value: "true", Want: "false: it compares features of nodes " +
			"of one type"}
	}
	cols.alike = newAlike(d.Features[0], first, near)
	return cols, nil
}

// featured reports whether nodes are of one type and have features.
func featured(d *dataset.Dataset) bool { return len(d.Features) == 1 && d.Features[0].Cols > 0 }

// width returns the number of columns.
func (c *columns) width() int {
	n := 0
	if c.common {
		n += commons
	}
	if c.alike != nil {
		n += likenesses
	}
	return n
}

// input returns room for the numbers of some pairs on the device, and the expression of it; nil and none without
// columns.
func (c *columns) input(rows int) (*mat.Dense, ad.Var) {
	if c.width() == 0 {
		return nil, ad.Var{}
	}
	x := mat.New(rows, c.width())
	return x, ad.Input(x)
}

// renew tells that other pairs are hidden.
func (c *columns) renew() {
	if c.alike != nil {
		c.alike.time++
	}
}

// row writes the numbers of a pair into row i of rows.
func (c *columns) row(rows []mat.Real, i int, p pair) {
	all := rows[i*c.width() : (i+1)*c.width()]
	dst := all
	if c.common {
		c.near.describe(dst, p.u, p.v)
		dst = dst[commons:]
	}
	if c.alike != nil {
		c.alike.describe(dst, p.u, p.v)
	}
	for i := range c.mean {
		all[i] = (all[i] - c.mean[i]) / c.sd[i]
	}
}

// standardise takes mean and deviation of pairs, a row of numbers each.
func (c *columns) standardise(rows []mat.Real) {
	k := c.width()
	mean, square := make([]float64, k), make([]float64, k)
	n := float64(len(rows) / k)
	for i, x := range rows {
		mean[i%k] += float64(x) / n
		square[i%k] += float64(x) * float64(x) / n
	}
	c.mean, c.sd = make([]mat.Real, k), slices.Repeat([]mat.Real{1}, k)
	for i := range k {
		c.mean[i] = mat.Real(mean[i])
		if v := square[i] - mean[i]*mean[i]; v > 1e-12 {
			c.sd[i] = mat.Real(math.Sqrt(v))
		}
	}
}
