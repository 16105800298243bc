package ondisk

import (
	"context"
	"runtime"
	"sync"
)

// Queue holds what is ready. Its memory is used again by the next Each, and it is for one Each at a time.
type Queue[T any] struct{ places []place[T] }

// place is where one thing is made ready, visited, and the next one but so many made ready then.
type place[T any] struct {
	of   T
	err  error
	full chan struct{} // it is ready, or err says why not
	free chan struct{} // it was visited
}

// Places is how many of n things there are at a time: the one that is visited, and those that are made ready.
func Places(n int) int { return min(n, 2+runtime.GOMAXPROCS(0)/4) }

// Each visits 0 to n−1 in their order, on the calling goroutine. ready is called on others, for several at once but
// for one with the same memory at a time; it finds there what it left, or the zero value. The first error of the order
// ends it, and so does ctx; nothing is being made ready any more when Each returns.
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

// fill makes k, k + step, … ready.
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
