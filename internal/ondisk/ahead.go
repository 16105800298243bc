package ondisk

import (
	"context"
	"runtime"
	"sync"
)

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
