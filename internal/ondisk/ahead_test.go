package ondisk

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestOrder wants every thing to be visited once and in order, with what was made ready for it, for any number.
func TestOrder(t *testing.T) {
	var q Queue[[]int]
	for n := range 3 * Places(100) {
		want := 0
		err := q.Each(t.Context(), n,
			func(i int, x *[]int) error { *x = append((*x)[:0], i, i*i); return nil },
			func(i int, x *[]int) error {
				if i != want || len(*x) != 2 || (*x)[0] != i || (*x)[1] != i*i {
					t.Errorf("visit %d of %d: %d with %v", want, n, i, *x)
				}
				want++
				return nil
			})
		if err != nil || want != n {
			t.Errorf("%d of %d: %v", want, n, err)
		}
	}
}

// TestFails wants the first error of the order, and nobody at work when it is told.
func TestFails(t *testing.T) {
	bad := errors.New("bad")
	const n = 50
	for at := range n {
		var q Queue[int]
		var busy atomic.Int32
		ready := func(i int, _ *int) error {
			busy.Add(1)
			defer busy.Add(-1)
			if i >= at {
				return bad
			}
			return nil
		}
		seen := 0
		err := q.Each(t.Context(), n, ready, func(int, *int) error { seen++; return nil })
		if !errors.Is(err, bad) || seen != at || busy.Load() != 0 {
			t.Errorf("not ready from %d on: %v after %d visits, %d at work", at, err, seen, busy.Load())
		}
		err = q.Each(t.Context(), n, func(int, *int) error { return nil }, func(i int, _ *int) error {
			if i == at {
				return bad
			}
			return nil
		})
		if !errors.Is(err, bad) {
			t.Errorf("visit %d: %v", at, err)
		}
	}
}

// TestStopped wants the error of a context that ends, before and in the middle.
func TestStopped(t *testing.T) {
	for at := range 9 {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		if at == 0 {
			cancel()
		}
		var q Queue[int]
		err := q.Each(ctx, 1000, func(int, *int) error { return nil }, func(int, *int) error {
			if seen++; seen == at {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || seen > at+Places(1000) {
			t.Errorf("stopped at %d: %v after %d", at, err, seen)
		}
		cancel()
	}
}
