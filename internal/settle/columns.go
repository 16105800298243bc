package settle

import (
	"math"

	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/mat"
)

// columns reads features as training uses them, some columns at a time. The column after the last is 1.
type columns struct {
	*blocks.Store
	rows     bool      // every row is divided by its sum
	mean, sd []float64 // of columns, where they are standardised; else nil
	room     []mat.Real
}

// newColumns finds out what a scaling asks for, see prepare.Scale.
func newColumns(s *blocks.Store, scale string) (*columns, error) {
	c := &columns{Store: s, rows: scale == "rows"}
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

// moments takes means first and deviations then, so that a large mean costs no digits.
func (c *columns) moments() error {
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
func (c *columns) each(yield func(v int, row []mat.Real)) (err error) {
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

// fill writes width columns from first on into dst, a row for every node.
func (c *columns) fill(dst []mat.Real, first, width int) error {
	return c.each(func(v int, row []mat.Real) {
		to := dst[v*width : (v+1)*width]
		if first+width > c.Columns {
			to[width-1] = 1
		}
		from, sum := row[first:min(first+width, c.Columns)], c.sum(row)
		for j, x := range from {
			switch {
			case c.sd == nil:
				to[j] = mat.Real(float64(x) / sum)
			case c.sd[first+j] > 0:
				to[j] = mat.Real((float64(x) - c.mean[first+j]) / c.sd[first+j])
			default:
				to[j] = 0
			}
		}
	})
}

// sum is what a row is divided by.
func (c *columns) sum(row []mat.Real) float64 {
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
