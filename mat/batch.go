package mat

import "fmt"

// An Index, a Sparse, Triples and Groups never change, so models may share them. Mini-batches are the exception: a
// program that is compiled once and run for every batch reads other rows every time. The code that draws the batches
// makes the list with NewBatchIndex, NewBatchSparse, NewBatchTriples or NewBatchGroups and refills it between runs;
// Update of any other list panics. Graphs, features and parameters are never refilled.

// NewBatchIndex returns an Index of n zeros in [0, bound), on the default device; Update replaces the ids.
func NewBatchIndex(n, bound int) *Index {
	x := MustIndex(make([]int32, n), bound)
	x.batch = true
	return x
}

// Update replaces the ids of a batch by a copy of ids. It allocates nothing. If an id is not in [0, Bound), it returns
// an error and changes nothing.
func (b *Index) Update(ids []int32) error {
	b.mustRefill("Index")
	if len(ids) != b.n {
		panic(fmt.Sprintf("mat: Update: %d ids where %d are needed", len(ids), b.n))
	}
	if err := checkRange(ids, b.bound); err != nil {
		return err
	}
	b.dev.UpdateIndex(b.buf, ids)
	return nil
}

// NewBatchSparse returns the rows×cols pattern with perRow entries a row, all in column 0, on the default device;
// Update replaces the columns.
func NewBatchSparse(rows, cols, perRow int) *Sparse {
	ptr := make([]int64, rows+1)
	for i := range ptr {
		ptr[i] = int64(i * perRow)
	}
	s, err := NewSparse(rows, cols, ptr, make([]int32, rows*perRow))
	if err != nil {
		panic(fmt.Sprintf("mat: NewBatchSparse: %d×%d with %d entries a row: %v", rows, cols, perRow, err))
	}
	s.batch, s.symmetric = true, false
	return s
}

// Update makes cols, row by row, the columns of the entries of a batch. It keeps a copy and allocates nothing. It
// returns an error, and changes nothing, where a column is not in the pattern.
func (b *Sparse) Update(cols []int32) error {
	b.mustRefill("Sparse")
	if len(cols) != b.nnz {
		panic(fmt.Sprintf("mat: Update: %d columns where %d are needed", len(cols), b.nnz))
	}
	if err := checkRange(cols, b.shape.Cols); err != nil {
		return err
	}
	b.dev.UpdatePattern(b.buf, cols)
	return nil
}
