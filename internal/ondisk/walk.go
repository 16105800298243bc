package ondisk

import (
	"context"
	"errors"
	"runtime"
	"sync"

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

// Queue prefetches items. The next Each reuses its memory; only one Each may run at a time.
type Queue[T any] struct{ places []place[T] }

// place is the memory of one item: it is filled, visited, then filled with a later item.
type place[T any] struct {
	of   T
	err  error
	full chan struct{} // the item is ready, or err says why not
	free chan struct{} // the item was visited
}

// Places returns how many of n items are in memory at a time: the one being visited and those being prefetched.
func Places(n int) int { return min(n, 2+runtime.GOMAXPROCS(0)/4) }

// Each visits items 0 to n−1 in order, on the calling goroutine. It calls ready on other goroutines, for several items
// at once but never concurrently with the same memory, which still holds what ready left there, or the zero value. Each
// stops at the first error in that order and when ctx ends; no call of ready is running when Each returns.
func (q *Queue[T]) Each(ctx context.Context, n int, ready, visit func(i int, of *T) error) error {
	if more := Places(n) - len(q.places); more > 0 {
		q.places = append(q.places, make([]place[T], more)...)
	}
	places := q.places[:Places(n)]
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for k := range places {
		p := &places[k]
		p.full, p.free = make(chan struct{}, 1), make(chan struct{}, 1)
		p.free <- struct{}{}
		all.Go(func() { p.fill(ctx, k, n, len(places), ready) })
	}
	for i := range n {
		p := &places[i%len(places)]
		select {
		case <-p.full:
		case <-ctx.Done():
			return ctx.Err()
		}
		if p.err != nil {
			return p.err
		}
		if err := visit(i, &p.of); err != nil {
			return err
		}
		p.free <- struct{}{}
	}
	return ctx.Err()
}

// fill prefetches items k, k + step, ….
func (p *place[T]) fill(ctx context.Context, k, n, step int, ready func(i int, of *T) error) {
	for ; k < n; k += step {
		select {
		case <-p.free:
		case <-ctx.Done():
			return
		}
		if p.err = ready(k, &p.of); p.err == nil {
			p.err = ctx.Err()
		}
		p.full <- struct{}{}
	}
}
