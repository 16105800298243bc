package kernel

import "fmt"

// Batches change their lists between runs. Refill, RefillTranspose and RefillTriples write the new lists into the
// memory of the old ones, which nobody may read meanwhile; they are the only functions that change a CSR, and they
// allocate nothing.

// blank returns a pattern with room for n entries.
func blank(rows, cols, n int) *CSR {
	return &CSR{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1), Idx: make([]int32, n)}
}

// Transpose returns the Cols×Rows pattern of the same entries, each row in ascending order of the rows
// they came from. Its Edge points into the same value array.
func (a *CSR) Transpose() *CSR {
	t := blank(a.Cols, a.Rows, len(a.Idx))
	t.Edge = make([]int32, len(a.Idx))
	t.makeOrder()
	t.RefillTranspose(a)
	return t
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
	a := blank(rows, len(idx), len(idx))
	a.Edge = a.Idx
	a.makeOrder()
	a.Refill(idx)
	return a
}

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

// ListTriples returns the rows×cols pattern that lists triples (i, j, k) by i, in the order in which they are given:
// entry e of row i is in column j. with holds the k of every entry, as RelMM takes it. RelMM visits rows in order, so
// they are not sorted by length.
func ListTriples(rows, cols int, i, j, k []int32) (a *CSR, with []int32) {
	a = blank(rows, cols, len(i))
	a.cut = make([]int32, max(1, min(maxCuts, rows))+1)
	return a, a.RefillTriples(make([]int32, len(i)), i, j, k)
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
// end, and arranges the rows.
func (a *CSR) restart() {
	copy(a.Ptr[1:], a.Ptr[:a.Rows])
	a.Ptr[0] = 0
	a.arrange()
}
