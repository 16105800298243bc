package dataset

import "github.com/bloomgml/bloom/mat"

// withRows is m with some rows exchanged for others.
func (m Matrix) withRows(fresh map[int32][]mat.Real) Matrix {
	out := Matrix{Cols: m.Cols}
	if m.IsSparse() {
		out.Ptr = make([]int64, 1, m.Rows+1)
	} else {
		out.Values = make([]mat.Real, 0, len(m.Values))
	}
	row := make([]mat.Real, m.Cols)
	for i := range m.Rows {
		x, ok := fresh[int32(i)]
		if !ok {
			m.Row(row, i)
			x = row
		}
		out.AppendRow(x)
	}
	return out
}
