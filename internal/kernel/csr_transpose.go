package kernel

import "fmt"

// Transpose returns the Cols×Rows pattern of the same entries, each row in ascending order of the rows
// they came from. Its Edge points into the same value array.
func (a *CSR) Transpose() *CSR {
	ptr, next := countRows(a.Idx, a.Cols)
	idx, edge := make([]int32, len(a.Idx)), make([]int32, len(a.Idx))
	for i := range a.Rows {
		for e := a.Ptr[i]; e < a.Ptr[i+1]; e++ {
			j := a.Idx[e]
			idx[next[j]] = int32(i)
			edge[next[j]] = a.edge(e)
			next[j]++
		}
	}
	return newCSR(a.Cols, a.Rows, ptr, idx, edge)
}

// edge returns the position of the value of entry e.
func (a *CSR) edge(e int64) int32 {
	if a.Edge == nil {
		return int32(e)
	}
	return a.Edge[e]
}

// Invert returns the rows×len(idx) pattern whose row i lists the positions e with idx[e] = i, ascending,
// each carrying val[e]. SpMM with it adds rows into segments: dst[idx[e],:] += val[e]·x[e,:].
// It panics if idx[e] is not a row.
func Invert(idx []int32, rows int) *CSR {
	for e, i := range idx {
		if i < 0 || int(i) >= rows {
			panic(fmt.Sprintf("kernel: Invert: idx[%d] = %d outside 0..%d", e, i, rows-1))
		}
	}
	ptr, next := countRows(idx, rows)
	at := make([]int32, len(idx))
	for e, i := range idx {
		at[next[i]] = int32(e)
		next[i]++
	}
	return newCSR(rows, len(idx), ptr, at, at)
}

// countRows returns the offsets of rows when entry e goes to row idx[e], and a copy of their starts.
func countRows(idx []int32, rows int) (ptr, next []int64) {
	ptr = make([]int64, rows+1)
	for _, i := range idx {
		ptr[i+1]++
	}
	for i := range rows {
		ptr[i+1] += ptr[i]
	}
	return ptr, append([]int64(nil), ptr[:rows]...)
}
