package native

import (
	"runtime"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
)

// inParallel calls f with 0 to n−1, on all cores, and returns when all calls have.
func inParallel(n int, f func(i int)) {
	var next atomic.Int64
	var group host.Group
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	group.Wait()
}
