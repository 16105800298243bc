package kernel

// ListTriples returns the rows×cols pattern that lists triples (i, j, k) by i, in the order in which they are given:
// entry e of row i is in column j. with holds the k of every entry, as RelMM takes it. RelMM visits rows in order, so
// they are not sorted by length.
func ListTriples(rows, cols int, i, j, k []int32) (a *CSR, with []int32) {
	a = Invert(i, rows)
	idx, with := make([]int32, len(i)), make([]int32, len(i))
	for e, t := range a.Idx {
		idx[e], with[e] = j[t], k[t]
	}
	return &CSR{Rows: rows, Cols: cols, Ptr: a.Ptr, Idx: idx, cut: cutRows(rows, a.Ptr, 1)}, with
}
