package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// parseVector reads a JSON list of finite numbers, at least one, into dst.
func parseVector(dst []float64, text string) ([]float64, bool) {
	if len(text) < 3 || text[0] != '[' || text[len(text)-1] != ']' {
		return dst, false
	}
	for number := range strings.SplitSeq(text[1:len(text)-1], ",") {
		x, ok := parseNumber(strings.TrimSpace(number))
		if !ok {
			return dst, false
		}
		dst = append(dst, x)
	}
	return dst, true
}

// fitVector fits the transform of a column of lists with n numbers. Others count as missing.
//
// Chosen: one deviation for all numbers, the root of their mean variance, as the numbers of an embedding have one
// scale.
func fitVector(c *dataset.Column, values *dataset.Texts, n int) {
	var row []float64
	each := func(f func()) {
		for i := range values.Len() {
			ok := false
			if row, ok = parseVector(row[:0], strings.TrimSpace(string(values.Get(i)))); ok && len(row) == n {
				f()
			}
		}
	}
	rows, square := 0, 0.0
	c.Means = make([]float64, n)
	each(func() {
		rows++
		for j, x := range row {
			c.Means[j] += (x - c.Means[j]) / float64(rows)
		}
	})
	each(func() {
		for j, x := range row {
			square += (x - c.Means[j]) * (x - c.Means[j])
		}
	})
	c.Missing, c.SD = values.Len()-rows, 1
	if sd := math.Sqrt(square / float64(rows*n)); sd > 0 {
		c.SD = sd
	}
}

func (e *encoder) vector(c *dataset.Column, text string) outcome {
	row, ok := parseVector(e.list[:0], text)
	e.list = row
	if !ok || len(row) != len(c.Means) {
		return odd
	}
	for j, x := range row {
		e.put(j, mat.Real((x-c.Means[j])/c.SD))
	}
	return taken
}

// embeddingColumn is the name of the column that arrays become.
const embeddingColumn = "embedding"

// embedding is an array with a row for every row of a table of nodes.
type embedding struct {
	file string
	rows int
	cols int
	x    []float32
}

// readEmbedding reads the array of the node type name; nil if none was given.
func readEmbedding(list []Input, name string, columns []string, memory *files.Budget) (*embedding, error) {
	at := slices.IndexFunc(list, func(in Input) bool { return in.Name == name })
	if at < 0 {
		return nil, nil
	}
	file := list[at].Table
	if slices.Contains(columns, embeddingColumn) {
		return nil, files.Errorf(file, "the table of nodes has a column %q already", embeddingColumn)
	}
	a, err := codec.ReadNPY(file, memory)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[1] == 0 {
		return nil, files.Errorf(file, "an array of shape %v, want rows of numbers", a.Shape)
	}
	e := &embedding{file: file, rows: a.Shape[0], cols: a.Shape[1]}
	e.x, err = codec.Floats[float32](a)
	return e, err
}

// append appends row i as a JSON list, or nothing if the row is beyond the array or has a NaN or Inf.
func (e *embedding) append(dst []byte, i int) []byte {
	if i >= e.rows {
		return dst
	}
	begin, before := len(dst), byte('[')
	for _, x := range e.x[i*e.cols : (i+1)*e.cols] {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return dst[:begin]
		}
		dst, before = append(dst, before), ','
		dst = strconv.AppendFloat(dst, float64(x), 'g', -1, 32)
	}
	return append(dst, ']')
}

// rowNumber returns the number, from 0, of row i of a batch in the table, given the number of rows before the batch.
func rowNumber(before int, b *table.Batch, i int) int {
	n := before + i
	for _, x := range b.Ragged() {
		if x.Line < b.Line(i) {
			n++
		}
	}
	return n
}
