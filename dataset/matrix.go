package dataset

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Matrix is Rows×Cols numbers on the host. Dense: Ptr is nil and Values are all of them, row by
// row. Sparse: row i has the entries Ptr[i] ≤ e < Ptr[i+1], entry e being Values[e] in column
// Idx[e], ascending within a row; where Values is nil every entry is 1.
type Matrix struct {
	Rows, Cols int
	Ptr        []int64
	Idx        []int32
	Values     []mat.Real
}

// IsSparse reports whether only nonzeros are stored.
func (m Matrix) IsSparse() bool { return m.Ptr != nil }

// Nonzeros is the number of stored entries of a sparse matrix, and of all of a dense one.
func (m Matrix) Nonzeros() int {
	if m.IsSparse() {
		return len(m.Idx)
	}
	return m.Rows * m.Cols
}

// Row writes row i into dst, which has Cols numbers.
func (m Matrix) Row(dst []mat.Real, i int) {
	if !m.IsSparse() {
		copy(dst, m.Values[i*m.Cols:(i+1)*m.Cols])
		return
	}
	clear(dst)
	for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
		dst[m.Idx[e]] = 1
		if m.Values != nil {
			dst[m.Idx[e]] = m.Values[e]
		}
	}
}

// Append is m with the rows of x after its own; it has as many columns. The result is sparse where m is.
func (m Matrix) Append(x Matrix) Matrix {
	y := Matrix{Rows: m.Rows + x.Rows, Cols: m.Cols}
	if !m.IsSparse() {
		y.Values = make([]mat.Real, y.Rows*y.Cols)
		copy(y.Values, m.Values)
		for i := range x.Rows {
			x.Row(y.Values[(m.Rows+i)*y.Cols:(m.Rows+i+1)*y.Cols], i)
		}
		return y
	}
	y.Ptr, y.Idx, y.Values = slices.Clone(m.Ptr), slices.Clone(m.Idx), make([]mat.Real, len(m.Idx))
	for e := range y.Values {
		y.Values[e] = mat.Real(m.value(int64(e)))
	}
	row := make([]mat.Real, y.Cols)
	for i := range x.Rows {
		x.Row(row, i)
		y.appendSparse(row)
	}
	return y
}
