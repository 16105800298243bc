package kernel

// Batches change their lists between runs. Refill, RefillTranspose and RefillTriples write the new lists into the
// memory of the old ones, which nobody may read meanwhile; they are the only functions that change a
// CSR.

// Refill turns a, which must come from Invert, into Invert(idx, a.Rows). The number of ids must be the same as before.
// It allocates nothing.
func (a *CSR) Refill(idx []int32) {
	a.count(idx)
	for e, i := range idx {
		a.Idx[a.Ptr[i]] = int32(e)
		a.Ptr[i]++
	}
	a.restart()
}

// RefillTranspose turns a, which must come from b.Transpose, into the transpose of b as it is now. The number of
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

// RefillTriples makes a and the with it returns, which came from ListTriples and have room for
// cap(a.Idx) triples, what ListTriples would give for the triples (i, j, k). It allocates nothing.
func (a *CSR) RefillTriples(with, i, j, k []int32) []int32 {
	a.Idx, with = a.Idx[:len(i)], with[:len(i)]
	a.count(i)
	for e, row := range i {
		at := a.Ptr[row]
		a.Idx[at], with[at] = j[e], k[e]
		a.Ptr[row]++
	}
	a.restart()
	return with
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

// restart moves the offsets back to the starts of the rows, after every row was filled and its offset had moved to its
// end, and cuts and sorts the rows again.
func (a *CSR) restart() {
	copy(a.Ptr[1:], a.Ptr[:a.Rows])
	a.Ptr[0] = 0
	if a.shift != nil {
		fillShifts(a.shift, a.Ptr)
	}
	fillCuts(a.cut, a.Rows, a.Ptr, rowAlign(a.shift))
}
