package dataset

import (
	"iter"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Matrix is a Rows×Cols matrix on the host. Dense: Ptr is nil and Values are all entries, row by row. Sparse: row i has
// the entries Ptr[i] ≤ e < Ptr[i+1]; entry e is Values[e] in column Idx[e], ascending within a row. If Values is nil
// every entry is 1.
type Matrix struct {
	Rows, Cols int
	Ptr        []int64
	Idx        []int32
	Values     []mat.Real
}

// IsSparse reports whether only nonzeros are stored.
func (m Matrix) IsSparse() bool { return m.Ptr != nil }

// Nonzeros returns the number of stored entries: all entries for a dense matrix.
func (m Matrix) Nonzeros() int {
	if m.IsSparse() {
		return len(m.Idx)
	}
	return m.Rows * m.Cols
}

// Row writes row i into dst, which must have length Cols.
func (m Matrix) Row(dst []mat.Real, i int) {
	if !m.IsSparse() {
		copy(dst, m.Values[i*m.Cols:(i+1)*m.Cols])
		return
	}
	clear(dst)
	for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
		dst[m.Idx[e]] = m.value(e)
	}
}

// Append returns m with the rows of x, which has the same number of columns, after its own. The result is sparse if m
// is, and shares nothing with them.
func (m Matrix) Append(x Matrix) Matrix {
	y := m
	if !m.IsSparse() {
		y.Values = append(make([]mat.Real, 0, (m.Rows+x.Rows)*m.Cols), m.Values...)
	} else {
		y.Ptr, y.Idx, y.Values = slices.Clone(m.Ptr), slices.Clone(m.Idx), slices.Clone(m.Values)
		if m.Values == nil {
			y.Values = slices.Repeat([]mat.Real{1}, len(m.Idx))
		}
	}
	if y.IsSparse() && x.IsSparse() {
		return y.below(x)
	}
	row := make([]mat.Real, y.Cols)
	for i := range x.Rows {
		x.Row(row, i)
		y.AppendRow(row)
	}
	return y
}

// WithRows returns m with some rows replaced: by what other returns for a row, unless that is nil. It shares nothing
// with m.
func (m Matrix) WithRows(other func(row int32) []mat.Real) Matrix {
	y := Matrix{Cols: m.Cols}
	if m.IsSparse() {
		y.Ptr, y.Values = make([]int64, 1, m.Rows+1), []mat.Real{}
	} else {
		y.Values = make([]mat.Real, 0, len(m.Values))
	}
	row := make([]mat.Real, m.Cols)
	for v := range m.Rows {
		x := other(int32(v))
		if x == nil {
			m.Row(row, v)
			x = row
		}
		y.AppendRow(x)
	}
	return y
}

// below returns m, which is not shared and has Values, with the nonzero entries of the sparse matrix x below its own.
func (m Matrix) below(x Matrix) Matrix {
	m.Rows += x.Rows
	for i := range x.Rows {
		for j, v := range x.Entries(i) {
			if v != 0 {
				m.Idx, m.Values = append(m.Idx, int32(j)), append(m.Values, v)
			}
		}
		m.Ptr = append(m.Ptr, int64(len(m.Idx)))
	}
	return m
}

// AppendRow appends a row of Cols numbers: all of them to a dense matrix, the nonzero ones to a sparse matrix, which
// must have Values.
func (m *Matrix) AppendRow(row []mat.Real) {
	m.Rows++
	if !m.IsSparse() {
		m.Values = append(m.Values, row...)
		return
	}
	for j, x := range row {
		if x != 0 {
			m.Idx, m.Values = append(m.Idx, int32(j)), append(m.Values, x)
		}
	}
	m.Ptr = append(m.Ptr, int64(len(m.Idx)))
}

// Entries yields the columns and values of the stored entries of row i, ascending: all of them for a dense matrix.
func (m Matrix) Entries(i int) iter.Seq2[int, mat.Real] {
	return func(yield func(int, mat.Real) bool) {
		if !m.IsSparse() {
			for j, x := range m.Values[i*m.Cols : (i+1)*m.Cols] {
				if !yield(j, x) {
					return
				}
			}
			return
		}
		for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
			if !yield(int(m.Idx[e]), m.value(e)) {
				return
			}
		}
	}
}

// value returns stored entry e of a sparse or dense matrix.
func (m Matrix) value(e int64) mat.Real {
	if m.Values == nil {
		return 1
	}
	return m.Values[e]
}
