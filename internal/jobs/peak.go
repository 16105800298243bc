package jobs

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// grown is by how many percent the heap grows between two measurements of Peak.
const grown = 5

// Peak returns the largest number of bytes in use on the heap while f ran, not counting what was allocated and
// freed between two collections. Meanwhile the collector runs whenever the heap has grown by a twentieth.
func Peak(f func() error) (int, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(grown))
	// one more than compute, for finalizers: on a busy machine they would wait until the peak has passed
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	w := &watch{}
	w.most.Store(uint64(InUse()))
	w.again()
	err := f()
	w.over.Store(true)
	return int(w.most.Load()), err
}

// watch measures the heap after every collection.
type watch struct {
	most atomic.Uint64
	over atomic.Bool
}

// again arranges the next measurement: the collector finalizes an unreachable value.
func (w *watch) again() {
	runtime.SetFinalizer(&struct{ of *watch }{w}, func(x *struct{ of *watch }) {
		w := x.of
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if n := live[0].Value.Uint64(); n > w.most.Load() {
			w.most.Store(n)
		}
		if !w.over.Load() {
			w.again()
		}
	})
}
