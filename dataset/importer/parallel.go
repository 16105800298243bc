package importer

import (
	"runtime"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
)

// eachOf calls f for the numbers below n on all cores, and returns the error of the smallest number that has one.
func eachOf(n int, f func(k int) error) error {
	var group host.Group
	var next atomic.Int64
	errs := make([]error, n)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
				errs[k] = f(int(k))
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// blockRows is how many rows are encoded at a time.
const blockRows = 1 << 14

// eachBlock calls f for blocks of n rows, from begin up to end, on all cores.
func eachBlock(n int, f func(begin, end int)) {
	_ = eachOf((n+blockRows-1)/blockRows, func(k int) error { // f has no error
		f(k*blockRows, min(n, (k+1)*blockRows))
		return nil
	})
}
