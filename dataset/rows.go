package dataset

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// value is stored entry e.
func (m Matrix) value(e int64) float64 {
	if m.Values == nil {
		return 1
	}
	return float64(m.Values[e])
}

// withRows is m with some rows exchanged for others.
func (m Matrix) withRows(fresh map[int32][]mat.Real) Matrix {
	if !m.IsSparse() {
		m.Values = slices.Clone(m.Values)
		for i, row := range fresh {
			copy(m.Values[int(i)*m.Cols:], row)
		}
		return m
	}
	out := Matrix{Rows: m.Rows, Cols: m.Cols, Ptr: make([]int64, m.Rows+1)}
	for i := range m.Rows {
		if row, ok := fresh[int32(i)]; ok {
			out.appendRow(row)
		} else {
			for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
				out.Idx, out.Values = append(out.Idx, m.Idx[e]), append(out.Values, mat.Real(m.value(e)))
			}
		}
		out.Ptr[i+1] = int64(len(out.Idx))
	}
	return out
}

// appendRow stores the nonzeros of a row after the others.
func (m *Matrix) appendRow(row []mat.Real) {
	for j, v := range row {
		if v != 0 {
			m.Idx, m.Values = append(m.Idx, int32(j)), append(m.Values, v)
		}
	}
}
