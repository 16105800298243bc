package build

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
)

// The scalings of Scale.
const (
	scaleAuto     = "auto"
	scaleNone     = "none"
	scaleByRow    = "rows"
	scaleByColumn = "columns"
)

// scalings are the names in the order of help texts.
var scalings = []string{scaleAuto, scaleNone, scaleByRow, scaleByColumn}

// Scale returns d with its features brought to one scale, and d itself if nothing changes. s is
//
//	auto      rows where features are sparse and not negative, as bags of words are; else none. Empty means auto
//	none      as they are
//	rows      every row divided by its sum; a row that sums to 0 stays
//	columns   every column to mean 0 and deviation 1; a constant one to 0
//
// With rows sparse features stay sparse; columns makes them dense. Statistics of columns are taken over the given
// number of first nodes, 0 meaning all, as features of all nodes are known in node classification. Deviations divide by
// the number of rows.
func Scale(d *dataset.Dataset, s string, nodes int) (*dataset.Dataset, error) {
	if s != "" && !slices.Contains(scalings, s) {
		return nil, keys.NewUnknown("scaling", s, scalings)
	}
	out := *d
	out.Features = make([]dataset.Matrix, len(d.Features))
	changed := false
	for t, x := range d.Features {
		mode := Scaling(x, s)
		switch mode {
		case scaleByRow:
			x = scaleRows(x)
		case scaleByColumn:
			x = standardised(x, momentsOf(first(x, Leading(d.Graph, t, nodes))))
		}
		out.Features[t] = x
		changed = changed || mode != scaleNone
	}
	if !changed {
		return d, nil
	}
	return &out, nil
}

// Leading returns how many of the first nodes of g are of type t; 0, which means all of them, if nodes is 0.
func Leading(g *graph.Graph, t, nodes int) (rows int) {
	kinds := g.NodeTypes()
	if kinds == nil {
		return nodes
	}
	for _, kind := range kinds[:min(nodes, len(kinds))] {
		if int(kind) == t {
			rows++
		}
	}
	return rows
}

// Scaling returns s, or the scaling that Scale chooses for x if s is auto.
func Scaling(x dataset.Matrix, s string) string {
	switch {
	case s != "" && s != scaleAuto:
		return s
	case !x.IsSparse():
		return scaleNone
	}
	for _, v := range x.Values {
		if v < 0 {
			return scaleNone
		}
	}
	return scaleByRow
}

// scaleRows divides rows by their sums, taken in double precision.
func scaleRows(x dataset.Matrix) dataset.Matrix {
	y := x
	if y.Values = slices.Clone(x.Values); y.Values == nil {
		y.Values = slices.Repeat([]mat.Real{1}, x.Nonzeros())
	}
	for i := range x.Rows {
		from, to := int64(i*x.Cols), int64((i+1)*x.Cols)
		if x.IsSparse() {
			from, to = x.Ptr[i], x.Ptr[i+1]
		}
		row := y.Values[from:to]
		sum := 0.0
		for _, v := range row {
			sum += float64(v)
		}
		for e, v := range row {
			if sum != 0 {
				row[e] = mat.Real(float64(v) / sum)
			}
		}
	}
	return y
}

// moments are the means and standard deviations of columns.
type moments struct{ mean, sd []float64 }

// momentsOf takes two passes, so a large mean costs no digits.
func momentsOf(x dataset.Matrix) moments {
	m := moments{make([]float64, x.Cols), make([]float64, x.Cols)}
	row := make([]mat.Real, x.Cols)
	for i := range x.Rows {
		x.Row(row, i)
		for j, v := range row {
			m.mean[j] += float64(v)
		}
	}
	for j := range m.mean {
		m.mean[j] /= float64(max(x.Rows, 1))
	}
	for i := range x.Rows {
		x.Row(row, i)
		for j, v := range row {
			d := float64(v) - m.mean[j]
			m.sd[j] += d * d
		}
	}
	for j := range m.sd {
		m.sd[j] = math.Sqrt(m.sd[j] / float64(max(x.Rows, 1)))
	}
	return m
}

// standardised returns x with columns shifted by their means and divided by their deviations; a constant column is 0.
func standardised(x dataset.Matrix, m moments) dataset.Matrix {
	y := dataset.Matrix{Rows: x.Rows, Cols: x.Cols, Values: make([]mat.Real, x.Rows*x.Cols)}
	for i := range x.Rows {
		row := y.Values[i*x.Cols : (i+1)*x.Cols]
		x.Row(row, i)
		for j, v := range row {
			row[j] = 0
			if m.sd[j] > 0 {
				row[j] = mat.Real((float64(v) - m.mean[j]) / m.sd[j])
			}
		}
	}
	return y
}

// ScaleLike scales later rows x the way Scale scales old, which is unscaled: columns use the mean and deviation of the
// first rows of old, 0 meaning all.
func ScaleLike(old, x dataset.Matrix, s string, rows int) (dataset.Matrix, error) {
	old = first(old, rows)
	switch s = Scaling(old, s); s {
	case scaleNone:
		return x, nil
	case scaleByRow:
		return scaleRows(x), nil
	case scaleByColumn:
		return standardised(x, momentsOf(old)), nil
	}
	return dataset.Matrix{}, keys.NewUnknown("scaling", s, scalings)
}

// first returns the first rows of m, or all of it for 0; it shares the arrays of m.
func first(m dataset.Matrix, rows int) dataset.Matrix {
	if rows <= 0 || rows >= m.Rows {
		return m
	}
	if m.Rows = rows; m.IsSparse() {
		m.Ptr = m.Ptr[:rows+1]
		m.Idx = m.Idx[:m.Ptr[rows]]
		if m.Values != nil {
			m.Values = m.Values[:m.Ptr[rows]]
		}
		return m
	}
	m.Values = m.Values[:rows*m.Cols]
	return m
}
