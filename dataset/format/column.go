package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// column is a column of features, with width numbers per cell, as long as all cells are numbers.
type column struct {
	name   string
	width  int
	values []mat.Real
	text   bool // a cell was not numbers; the column is not a feature
	budget *files.Budget
}

// add appends the numbers of a cell, separated by commas. The first cell sets the width.
func (c *column) add(cell string) error {
	if c.text {
		return nil
	}
	n := 0
	for field := range strings.SplitSeq(cell, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			c.text, c.values = true, nil
			return nil
		}
		if c.values, err = files.Append(c.budget, c.values, "column "+c.name, mat.Real(x)); err != nil {
			return err
		}
		n++
	}
	if c.width == 0 {
		c.width = n
	}
	if n != c.width {
		return fmt.Errorf("%d numbers, want %d as in the rows before", n, c.width)
	}
	return nil
}

// sideBySide returns the features of rows nodes; the zero matrix if no column is a feature.
func sideBySide(columns []*column, rows int, b *files.Budget) (dataset.Matrix, error) {
	x := dataset.Matrix{Rows: rows}
	for _, c := range columns {
		if !c.text {
			x.Cols += c.width
		}
	}
	if x.Cols == 0 {
		return dataset.Matrix{}, nil
	}
	if err := b.Take(int64(rows)*int64(x.Cols)*int64(unsafe.Sizeof(mat.Real(0))),
		fmt.Sprintf("features of %d nodes in %d columns", rows, x.Cols)); err != nil {
		return dataset.Matrix{}, err
	}
	x.Values = make([]mat.Real, 0, rows*x.Cols)
	for i := range rows {
		for _, c := range columns {
			if !c.text {
				x.Values = append(x.Values, c.values[i*c.width:(i+1)*c.width]...)
			}
		}
	}
	return x, nil
}
