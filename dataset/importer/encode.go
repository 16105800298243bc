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

// entries are the features of one row as they are written, a column of the table after the other.
type entries struct {
	at     int32 // where the column begins that is written
	idx    []int32
	values []mat.Real
}

// put writes feature j of the column.
func (e *entries) put(j int, x mat.Real) {
	e.idx, e.values = append(e.idx, e.at+int32(j)), append(e.values, x)
}

// encodeRow writes the features of one row by the transforms that were fitted at the import. value gives the text of
// column i of s, and note is told what became of it.
func (e *entries) encodeRow(s *dataset.TypeSchema, value func(i int) string, note func(i int, text string, o outcome)) {
	e.at, e.idx, e.values = 0, e.idx[:0], e.values[:0]
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Width() == 0 {
			continue
		}
		text := strings.TrimSpace(value(i))
		note(i, text, encode(c, text, e.put))
		e.at += int32(c.Width())
	}
}

// appendTo puts the row below the others of m.
func (e *entries) appendTo(m *dataset.Matrix) {
	m.Rows++
	if !m.IsSparse() {
		from := len(m.Values)
		m.Values = append(m.Values, make([]mat.Real, m.Cols)...)
		for k, j := range e.idx {
			m.Values[from+int(j)] = e.values[k]
		}
		return
	}
	for k, x := range e.values {
		if x != 0 {
			m.Idx, m.Values = append(m.Idx, e.idx[k]), append(m.Values, x)
		}
	}
	m.Ptr = append(m.Ptr, int64(len(m.Idx)))
}

// outcome is what became of a value.
type outcome uint8

const (
	taken  outcome = iota
	absent         // it was missing
	odd            // it is not of the kind of its column, and counts as missing
)

// encode puts the features of one value, whose spaces are trimmed: none where it is missing or not of the kind of c.
func encode(c *dataset.Column, text string, put func(j int, x mat.Real)) outcome {
	if isMissing(text) {
		return absent
	}
	switch c.Kind {
	case dataset.Number:
		x, ok := parseNumber(text)
		if !ok {
			return odd
		}
		put(0, mat.Real((x-c.Mean)/c.SD))
	case dataset.Category:
		i, known := level(c, text)
		if !known {
			return odd
		}
		put(i, 1)
	}
	return taken
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
	var e entries
	for i := range rows {
		e.encodeRow(s, func(k int) string { return string(raw[k].Get(i)) }, func(int, string, outcome) {})
		e.appendTo(&m)
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
