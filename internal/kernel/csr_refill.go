package kernel

import "sort"

// Batches change their lists between runs. Refill and RefillTranspose write the new lists into the
// memory of the old ones, which nobody may read meanwhile; they are the only functions that change a
// CSR.

// Refill makes a, which came from Invert, what Invert(idx, a.Rows) would be for as many ids as
// before. It allocates nothing.
func (a *CSR) Refill(idx []int32) {
	a.count(idx)
	for e, i := range idx {
		a.Idx[a.Ptr[i]] = int32(e)
		a.Ptr[i]++
	}
	a.restart()
}

// RefillTranspose makes a, which came from b.Transpose, that of the present b, whose number of
// entries must be the same as before. It allocates nothing.
func (a *CSR) RefillTranspose(b *CSR) {
	a.count(b.Idx)
	for i := range b.Rows {
		for e := b.Ptr[i]; e < b.Ptr[i+1]; e++ {
			at := a.Ptr[b.Idx[e]]
			a.Idx[at], a.Edge[at] = int32(i), b.edge(e)
			a.Ptr[b.Idx[e]]++
		}
	}
	a.restart()
}

// count makes Ptr the offsets of rows when entry e goes to row idx[e].
func (a *CSR) count(idx []int32) {
	clear(a.Ptr)
	for _, i := range idx {
		a.Ptr[i+1]++
	}
	for i := range a.Rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
}

// restart moves the offsets back to the starts of the rows, after every row was filled and its
// offset had moved to its end, and cuts the rows anew.
func (a *CSR) restart() {
	copy(a.Ptr[1:], a.Ptr[:a.Rows])
	a.Ptr[0] = 0
	fillCuts(a.cut, a.Rows, a.Ptr)
}

// fillCuts writes the first row of every chunk of about the same entries + rows, then the number of
// rows, into cut.
func fillCuts(cut []int32, rows int, ptr []int64) {
	n := len(cut) - 1
	total := ptr[rows] + int64(rows)
	for c := range cut {
		want := total * int64(c) / int64(n)
		cut[c] = int32(sort.Search(rows, func(i int) bool { return ptr[i]+int64(i) >= want }))
	}
	cut[0], cut[n] = 0, int32(rows)
}
