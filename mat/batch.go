package mat

import "fmt"

// An Index, a Sparse, Triples and Groups never change, so that models may share them. A batch is the exception: a
// program that is compiled once and run for every batch reads other rows every time. Whoever draws
// the batches owns a BatchIndex, BatchSparse, BatchTriples or BatchGroups and refills it between runs;
// the program sees what is inside and cannot. Graphs, features and parameters are never of this kind.

// BatchIndex is an Index of fixed length whose ids are drawn anew for every run.
type BatchIndex struct {
	*Index // what operations take
}

// NewBatchIndex returns n zeros as ids in [0, bound), on the default device.
func NewBatchIndex(n, bound int) *BatchIndex {
	x := MustIndex(make([]int32, n), bound)
	x.batch = true
	return &BatchIndex{x}
}

// Update makes ids, of which it keeps a copy, the new list. It allocates nothing. It returns a
// *RangeError, and changes nothing, where an id is not in [0, Bound).
func (b *BatchIndex) Update(ids []int32) error {
	if len(ids) != b.n {
		panic(fmt.Sprintf("mat: BatchIndex: %d ids where %d are needed", len(ids), b.n))
	}
	if err := checkRange(ids, b.bound); err != nil {
		return err
	}
	b.dev.UpdateIndex(b.buf, ids)
	return nil
}

// BatchSparse is a pattern with the same number of entries in every row, whose columns are drawn
// anew for every run.
type BatchSparse struct {
	*Sparse // what operations take
}

// NewBatchSparse returns the rows×cols pattern with perRow entries a row, all in column 0, on the
// default device.
func NewBatchSparse(rows, cols, perRow int) *BatchSparse {
	ptr := make([]int64, rows+1)
	for i := range ptr {
		ptr[i] = int64(i * perRow)
	}
	s, err := NewSparse(rows, cols, ptr, make([]int32, rows*perRow))
	if err != nil {
		panic(fmt.Sprintf("mat: NewBatchSparse: %d×%d with %d entries a row: %v", rows, cols, perRow, err))
	}
	s.batch = true
	return &BatchSparse{s}
}

// Update makes cols, row by row, the columns of the entries. It keeps a copy and allocates nothing.
// It returns a *RangeError, and changes nothing, where a column is not in the pattern.
func (b *BatchSparse) Update(cols []int32) error {
	if len(cols) != b.nnz {
		panic(fmt.Sprintf("mat: BatchSparse: %d columns where %d are needed", len(cols), b.nnz))
	}
	if err := checkRange(cols, b.shape.Cols); err != nil {
		return err
	}
	b.dev.UpdatePattern(b.buf, cols)
	return nil
}
