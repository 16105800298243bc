package capacity

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// grown is by how many percent the heap grows between two looks of Most.
const grown = 5

// HeapPeak is the largest number of bytes on the heap that were in use at once while f ran, but for what came and went
// between two collections: meanwhile the collector begins whenever the heap has grown by a twentieth.
func HeapPeak(f func() error) (int, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(grown))
	w := &watch{}
	w.most.Store(uint64(HeapInUse()))
	w.again()
	err := f()
	w.over.Store(true)
	return int(w.most.Load()), err
}

// watch looks at the heap after every collection.
type watch struct {
	most atomic.Uint64
	over atomic.Bool
}

// again looks after the next one, when a value that nobody has is found.
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
