package mat

import (
	"slices"
	"sync"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Sparse is a rows×cols pattern of entries, stored by rows and by columns. Entry e of the list by rows has the number
// e; a matrix of one value per entry (NNZ×1) gives the entries values, otherwise all are 1. It is immutable, except
// that the code that made it with NewBatchSparse may refill it between runs.
type Sparse struct {
	refillable
	shape     Shape
	nnz       int
	symmetric bool

	values      sync.Mutex
	alternating map[[2]Real]*Dense // see Incidence
}

// NewSparse returns the pattern in which row i has the columns idx[ptr[i]:ptr[i+1]], on the default device. It returns
// an error that names the place when ptr is not monotone or a column is out of range. The caller must not change the
// slices afterwards.
//
// A pattern that equals its transpose, row by row, as the adjacency of an undirected graph with sorted neighbour lists
// does, is found to be Symmetric: products with the transpose then read the rows, which is faster if there are no
// values.
func NewSparse(rows, cols int, ptr []int64, idx []int32) (*Sparse, error) {
	return newSparse(Default(), rows, cols, ptr, idx)
}

func newSparse(dev Device, rows, cols int, ptr []int64, idx []int32) (*Sparse, error) {
	if err := kernel.CheckCSR(rows, cols, ptr, idx, nil); err != nil {
		return nil, err
	}
	at := placed{dev, dev.Pattern(rows, cols, ptr, idx)}
	return &Sparse{refillable: refillable{placed: at}, shape: Shape{rows, cols}, nnz: len(idx),
		symmetric: rows == cols && symmetric(ptr, idx)}, nil
}

// symmetric walks the rows in order: the entries met in column j must be, one after the other, the entries of row j.
func symmetric(ptr []int64, idx []int32) bool {
	next := slices.Clone(ptr)
	for i := range len(ptr) - 1 {
		for _, j := range idx[ptr[i]:ptr[i+1]] {
			if next[j] == ptr[j+1] || idx[next[j]] != int32(i) {
				return false
			}
			next[j]++
		}
	}
	return true
}

// Shape returns the number of rows and columns.
func (s *Sparse) Shape() Shape { return s.shape }

// NNZ returns the number of entries.
func (s *Sparse) NNZ() int { return s.nnz }

// Symmetric reports whether the pattern equals its transpose, row by row.
func (s *Sparse) Symmetric() bool { return s.symmetric }
