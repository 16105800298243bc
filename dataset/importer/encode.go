package importer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// width returns the number of features of a row.
func width(s *dataset.TypeSchema) int {
	n := 0
	for i := range s.Columns {
		n += s.Columns[i].Width()
	}
	return n
}

// encoder makes features of rows by the transforms that were fitted at an import. It holds the features of one row,
// column by column of the table.
type encoder struct {
	schema *dataset.TypeSchema
	words  []*wordIndex // of every column, nil if it is not text
	list   []float64    // of the last list of numbers
	at     int32        // where the current column begins
	idx    []int32
	values []mat.Real
}

func newEncoder(s *dataset.TypeSchema) *encoder {
	e := &encoder{schema: s, words: make([]*wordIndex, len(s.Columns))}
	for i := range s.Columns {
		if s.Columns[i].Kind == dataset.Text {
			e.words[i] = newWordIndex(&s.Columns[i])
		}
	}
	return e
}

// put writes feature j of the column.
func (e *encoder) put(j int, x mat.Real) {
	e.idx, e.values = append(e.idx, e.at+int32(j)), append(e.values, x)
}

// row writes the features of one row. value returns the text of column i of the schema, and note is told its outcome.
func (e *encoder) row(value func(i int) string, note func(i int, text string, o outcome)) {
	e.at, e.idx, e.values = 0, e.idx[:0], e.values[:0]
	for i := range e.schema.Columns {
		width := e.schema.Columns[i].Width()
		if width == 0 {
			continue
		}
		text := strings.TrimSpace(value(i))
		o := absent
		if !IsMissing(text) {
			o = e.column(i, text)
		}
		note(i, text, o)
		e.at += int32(width)
	}
}

func (e *encoder) number(c *dataset.Column, x float64) {
	e.put(0, mat.Real(dataset.Feature{Mean: c.Mean, SD: c.SD, Log: c.Log}.Scaled(x)))
}

// rowOf writes the features of row i of columns.
func (e *encoder) rowOf(columns []*dataset.Texts, i int) {
	e.at, e.idx, e.values = 0, e.idx[:0], e.values[:0]
	for k := range e.schema.Columns {
		c, t := &e.schema.Columns[k], columns[k]
		width := c.Width()
		if t.Numbers != nil && c.Kind == dataset.Number {
			if x := t.Number(i); x == x {
				e.number(c, x)
			}
		} else if width > 0 {
			if text := strings.TrimSpace(t.Text(i)); !IsMissing(text) {
				e.column(k, text)
			}
		}
		e.at += int32(width)
	}
}

func (e *encoder) appendTo(m *dataset.Matrix) {
	m.Rows++
	if !m.IsSparse() {
		m.Values = e.below(m.Values, m.Cols)
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
	taken    outcome = iota
	absent           // it was missing
	odd              // it is not of the kind of its column, and counts as missing
	unlisted         // it is not among the levels of its column, and counts as rare
)

// column writes the features of a value of column i: none if it is not of the kind of the column.
func (e *encoder) column(i int, text string) outcome {
	c := &e.schema.Columns[i]
	switch c.Kind {
	case dataset.Number:
		x, ok := Number(c, text)
		if !ok {
			return odd
		}
		if slices.Contains(c.Absent, x) {
			return absent
		}
		e.number(c, x)
	case dataset.Category:
		j, known := level(c, text)
		if !known {
			return odd
		}
		if e.put(j, 1); c.Levels[j] == dataset.OtherLevel && text != dataset.OtherLevel {
			return unlisted
		}
	case dataset.Time, dataset.Calendar:
		return e.time(c, text)
	case dataset.Vector:
		return e.vector(c, text)
	case dataset.Text:
		return e.text(e.words[i], text)
	}
	return taken
}

// level finds a level; there are few. A value that is not among them counts as the level for rare values, if there is
// one, or else as the level that differs by case, spaces and punctuation alone.
func level(c *dataset.Column, text string) (int, bool) {
	if same, ok := c.Same[text]; ok {
		text = same
	}
	i := slices.Index(c.Levels, text)
	if i < 0 {
		i = slices.Index(c.Levels, dataset.OtherLevel)
	}
	if i < 0 {
		bare := bareLevel(text)
		i = slices.IndexFunc(c.Levels, func(l string) bool { return bare != "" && bareLevel(l) == bare })
	}
	return i, i >= 0
}

// features encodes all rows: dense, or sparse if fewer than a quarter of the numbers are not zero.
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
	if 4*most < float64(m.Cols) {
		m.Ptr, numbers, size = []int64{0}, int(math.Ceil(float64(rows)*most)), size+4
	}
	err := im.budget.Take(int64(numbers)*size, fmt.Sprintf("features of %d nodes in %d columns", rows, m.Cols))
	if err != nil {
		return dataset.Matrix{}, err
	}
	if !m.IsSparse() {
		m.Rows, m.Values = rows, make([]mat.Real, numbers)
		encodeDense(s, raw, m.Values, rows)
		return m, nil
	}
	m.Ptr, m.Idx, m.Values = make([]int64, 1, rows+1), make([]int32, 0, numbers), make([]mat.Real, 0, numbers)
	e := newEncoder(s)
	for i := range rows {
		e.rowOf(raw, i)
		e.appendTo(&m)
	}
	return m, nil
}

// nonzeros returns how many numbers of a row are not zero: at most, and for texts on average.
func nonzeros(s *dataset.TypeSchema) float64 {
	n := 0.0
	for i := range s.Columns {
		c := &s.Columns[i]
		switch c.Kind {
		case dataset.Time, dataset.Calendar, dataset.Vector:
			n += float64(c.Width())
		case dataset.Text:
			words := 0
			for _, count := range c.Counts {
				words += count
			}
			n += float64(words) / float64(max(1, c.Rows))
		default:
			n += float64(min(1, c.Width()))
		}
	}
	return n
}

// encodeDense encodes rows into values, which must be 0, on all cores.
func encodeDense(s *dataset.TypeSchema, texts []*dataset.Texts, values []mat.Real, rows int) {
	const block = 1 << 14 // rows at a time
	n := width(s)
	host.Each((rows+block-1)/block, func(k int) {
		e := newEncoder(s)
		for i := k * block; i < min(rows, (k+1)*block); i++ {
			e.rowOf(texts, i)
			e.set(values[i*n : (i+1)*n])
		}
	})
}

// set sets the numbers of the row in values, which must be 0.
func (e *encoder) set(values []mat.Real) {
	for k, j := range e.idx {
		values[j] = e.values[k]
	}
}

// below appends the row, n numbers, to values.
func (e *encoder) below(values []mat.Real, n int) []mat.Real {
	values = append(values, make([]mat.Real, n)...)
	e.set(values[len(values)-n:])
	return values
}
