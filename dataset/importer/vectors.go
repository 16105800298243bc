package importer

import (
	"math"
	"strings"

	"github.com/bloomgml/bloom/dataset"
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

// vector writes a list of numbers.
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
