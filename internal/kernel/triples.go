package kernel

// ListTriples is the rows×cols pattern that lists triples (i, j, k) by i, in the order in which they
// are given: entry e of row i is in column j. with holds the k of every entry, as RelMM takes it.
func ListTriples(rows, cols int, i, j, k []int32) (a *CSR, with []int32) {
	a = Invert(i, rows)
	idx, with := make([]int32, len(i)), make([]int32, len(i))
	for e, t := range a.Idx {
		idx[e], with[e] = j[t], k[t]
	}
	return newCSR(rows, cols, a.Ptr, idx, nil), with
}
