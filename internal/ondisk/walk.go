package ondisk

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// Walk iterates over a graph on disk repeatedly: while one block is processed, it prefetches the next ones.
type Walk struct {
	Store *Store
	queue Queue[near]
}

// near is a block with the memory that it is read into.
type near struct {
	read Adjacency
	solve.Block
}

// Memory returns how many bytes the walk holds at most: for every entry its neighbour, the s of that neighbour and what
// a step allocates.
func (w *Walk) Memory() int64 {
	largest := int64(0)
	for i := range w.Store.Blocks() {
		first, end := w.Store.Rows(i)
		largest = max(largest, 12*int64(w.Store.Entries(i))+28*int64(end-first))
	}
	return int64(Places(w.Store.Blocks())) * largest
}

// ErrEnough is what a visit returns to end a walk although nothing failed.
var ErrEnough = errors.New("block: enough blocks")

// Each visits all blocks in order, ready for steps of s, until a visit returns ErrEnough; for scale see
// solve.Stepper.Step.
func (w *Walk) Each(ctx context.Context, s *solve.Stepper, scale []mat.Real,
	visit func(i int, b solve.Block) error) error {
	err := w.queue.Each(ctx, w.Store.Blocks(), func(i int, b *near) error {
		if err := w.next(i, b); err != nil {
			return err
		}
		return s.Ready(&b.Block, w.Store.Nodes, scale)
	}, func(i int, b *near) error { return visit(i, b.Block) })
	if err == ErrEnough {
		return nil
	}
	return err
}

// Scales returns s of every node; nil if s does not scale.
func (w *Walk) Scales(ctx context.Context, s *solve.Stepper) ([]mat.Real, error) {
	if !s.Scaled() {
		return nil, nil
	}
	scale := make([]mat.Real, w.Store.Nodes)
	return scale, w.queue.Each(ctx, w.Store.Blocks(), func(i int, b *near) error {
		if err := w.next(i, b); err != nil {
			return err
		}
		for r := range b.Rows() {
			scale[b.First+r] = mat.Real(s.Scale(float64(b.Ptr[r+1] - b.Ptr[r])))
		}
		return nil
	}, func(int, *near) error { return nil })
}

// next reads block i.
func (w *Walk) next(i int, b *near) error {
	if err := w.Store.Adjacency(i, &b.read); err != nil {
		return err
	}
	b.Ptr, b.Idx = b.read.Ptr, b.read.Idx
	b.First, _ = w.Store.Rows(i)
	return nil
}
