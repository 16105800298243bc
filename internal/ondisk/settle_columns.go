package ondisk

import (
	"context"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// SettleColumns reads features as training uses them, some columns at a time. The column after the last is all ones.
type SettleColumns struct {
	*Store
	rows     bool      // every row is divided by its sum
	mean, sd []float64 // of columns if they are standardised; otherwise nil
	room     []mat.Real
}

// NewSettleColumns computes what a scaling needs, see prepare.Scale.
func NewSettleColumns(s *Store, scale string) (*SettleColumns, error) {
	c := &SettleColumns{Store: s, rows: scale == "rows"}
	var err error
	switch {
	case scale == "columns":
		err = c.moments()
	case s.Sparse && (scale == "auto" || scale == ""):
		c.rows = true
		err = c.each(func(_ int, row []mat.Real) {
			for _, x := range row {
				c.rows = c.rows && x >= 0
			}
		})
	}
	return c, err
}

// moments computes the means first and the deviations afterwards, so a large mean costs no digits.
func (c *SettleColumns) moments() error {
	mean, square := make([]float64, c.Columns), make([]float64, c.Columns)
	err := c.each(func(_ int, row []mat.Real) {
		for j, x := range row {
			mean[j] += float64(x) / float64(c.Nodes)
		}
	})
	if err != nil {
		return err
	}
	err = c.each(func(_ int, row []mat.Real) {
		for j, x := range row {
			square[j] += (float64(x) - mean[j]) * (float64(x) - mean[j])
		}
	})
	for j := range square {
		square[j] = math.Sqrt(square[j] / float64(c.Nodes))
	}
	c.mean, c.sd = mean, square
	return err
}

// each yields the features of every node.
func (c *SettleColumns) each(yield func(v int, row []mat.Real)) (err error) {
	for i := range c.Blocks() {
		if c.room, err = c.Features(i, c.room); err != nil {
			return err
		}
		first, end := c.Rows(i)
		for v := first; v < end; v++ {
			yield(v, c.room[(v-first)*c.Columns:(v-first+1)*c.Columns])
		}
	}
	return nil
}

// fill writes width columns, starting with first, into dst, a row for every node. The columns are the features, 1, and
// the features with signs drawn by the seed.
func (c *SettleColumns) fill(ctx context.Context, dst []mat.Real, first, width int, seed uint64) error {
	var queue Queue[settleFeatures]
	return queue.Each(ctx, c.Blocks(), func(i int, x *settleFeatures) (err error) {
		if x.rows, err = c.Features(i, x.rows); err != nil {
			return err
		}
		if x.all == nil {
			x.all = make([]mat.Real, c.Columns+1)
		}
		from, end := c.Rows(i)
		for v := from; v < end; v++ {
			c.scaled(x.all, x.rows[(v-from)*c.Columns:(v-from+1)*c.Columns])
			c.fillRow(dst[v*width:(v+1)*width], x.all, first, mat.Mix(seed, uint64(v)))
		}
		return nil
	}, func(int, *settleFeatures) error { return nil })
}

// settleFeatures has the features of a block, and memory for one row of features and 1.
type settleFeatures struct{ rows, all []mat.Real }

// fillRow is fill for one row; all has its features and 1.
func (c *SettleColumns) fillRow(dst, all []mat.Real, first int, seed uint64) {
	for j := range dst {
		if k := first + j; k <= c.Columns {
			dst[j] = all[k]
		} else {
			dst[j] = sign(mat.Mix(seed, uint64(k))) * all[k-c.Columns-1]
		}
	}
}

// sign returns 1 or −1 by the highest bit of x.
func sign(x uint64) mat.Real { return 1 - 2*mat.Real(x>>63) }

// Block returns the features of the nodes of block i, a row for each, in dst if it is large enough.
func (c *SettleColumns) Block(i int, dst []mat.Real) (_ []mat.Real, err error) {
	if c.room, err = c.Features(i, c.room); err != nil {
		return dst, err
	}
	if cap(dst) < len(c.room) {
		dst = make([]mat.Real, len(c.room))
	}
	dst = dst[:len(c.room)]
	for at := 0; at < len(dst); at += c.Columns {
		c.scaled(dst[at:at+c.Columns], c.room[at:at+c.Columns])
	}
	return dst, nil
}

// scaled writes the features of a row, followed by 1 if there is room.
func (c *SettleColumns) scaled(to, row []mat.Real) {
	if len(to) > len(row) {
		to[len(row)] = 1
	}
	sum := c.sum(row)
	for j, x := range row {
		switch {
		case c.sd == nil:
			to[j] = mat.Real(float64(x) / sum)
		case c.sd[j] > 0:
			to[j] = mat.Real((float64(x) - c.mean[j]) / c.sd[j])
		default:
			to[j] = 0
		}
	}
}

// sum returns what a row is divided by.
func (c *SettleColumns) sum(row []mat.Real) float64 {
	if !c.rows {
		return 1
	}
	sum := 0.0
	for _, x := range row {
		sum += float64(x)
	}
	if sum == 0 {
		return 1
	}
	return sum
}
