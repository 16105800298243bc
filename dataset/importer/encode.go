package importer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// width is the number of features of a row.
func width(s *dataset.TypeSchema) int {
	n := 0
	for i := range s.Columns {
		n += s.Columns[i].Width()
	}
	return n
}

// encodeRow writes the features of one row, as many as width says, by the transforms that were fitted at the
// import. value gives the text of a column and whether the row has it. It returns how many values
// were missing and filled. A text in a column of numbers is an error.
func encodeRow(
	s *dataset.TypeSchema, dst []mat.Real, value func(column string) (text string, ok bool),
) (filled int, err error) {
	at := 0
	for i := range s.Columns {
		c := &s.Columns[i]
		text, _ := value(c.Name)
		n := c.Width()
		missing, err := encode(c, dst[at:at+n], text)
		if err != nil {
			return filled, fmt.Errorf("column %q: %w", c.Name, err)
		}
		if missing && n > 0 {
			filled++
		}
		at += n
	}
	return filled, nil
}

// encode writes the features of one value and reports whether it was missing.
func encode(c *dataset.Column, dst []mat.Real, text string) (missing bool, err error) {
	clear(dst)
	text = strings.TrimSpace(text)
	missing = isMissing(text)
	switch {
	case missing, c.Kind == dataset.Skipped:
	case c.Kind == dataset.Number:
		x, ok := parseNumber(text)
		if !ok {
			return false, fmt.Errorf("%.40q is not a number", text)
		}
		dst[0] = mat.Real((x - c.Mean) / c.SD)
	case c.Kind == dataset.Category:
		if i, known := level(c, text); known {
			dst[i] = 1
		}
	}
	return missing, nil
}

// level finds a level; they are few.
func level(c *dataset.Column, text string) (int, bool) {
	for i, l := range c.Levels {
		if l == text {
			return i, true
		}
	}
	return 0, false
}

// isMissing reports whether a text says that there is no value.
func isMissing(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 2:
		return text == "NA" || text == "na"
	case 3:
		return strings.EqualFold(text, "nan") || text == "N/A" || text == "n/a"
	case 4:
		return strings.EqualFold(text, "null") || text == "None"
	}
	return false
}

// parseNumber reads a finite number.
func parseNumber(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// features encodes all rows: dense, or sparse where fewer than a quarter of the numbers are not zero.
func (im *importer) features(s *dataset.TypeSchema, columns []dataset.RawColumn, rows int) (dataset.Matrix, error) {
	m := dataset.Matrix{Cols: width(s)}
	if m.Cols == 0 {
		return dataset.Matrix{}, nil
	}
	at := make(map[string]int, len(columns))
	for j := range columns {
		at[columns[j].Name] = j
	}
	raw := make([]*dataset.Texts, len(s.Columns))
	for i := range s.Columns {
		raw[i] = &columns[at[s.Columns[i].Name]].Values
	}
	most := nonzeros(s)
	numbers, size := rows*m.Cols, int64(unsafe.Sizeof(mat.Real(0)))
	if 4*most < m.Cols {
		m.Ptr, numbers, size = []int64{0}, rows*most, size+4
	}
	err := im.budget.Take(int64(numbers)*size, fmt.Sprintf("features of %d nodes in %d columns", rows, m.Cols))
	if err != nil {
		return dataset.Matrix{}, err
	}
	if m.IsSparse() {
		m.Ptr, m.Idx = make([]int64, 1, rows+1), make([]int32, 0, numbers)
	}
	m.Values = make([]mat.Real, 0, numbers)
	row := make([]mat.Real, m.Cols)
	for i := range rows {
		at := 0
		for k := range s.Columns {
			c := &s.Columns[k]
			n := c.Width()
			if n == 0 {
				continue
			}
			if _, err := encode(c, row[at:at+n], string(raw[k].Get(i))); err != nil {
				clear(row[at : at+n]) // a kind that the user forced: no number counts as missing
			}
			at += n
		}
		m.AppendRow(row)
	}
	return m, nil
}

// nonzeros is the most numbers of a row that are not zero.
func nonzeros(s *dataset.TypeSchema) int {
	n := 0
	for i := range s.Columns {
		n += min(1, s.Columns[i].Width())
	}
	return n
}
