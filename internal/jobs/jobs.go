// Package jobs says what jobs on the default device take and may take: memory, and threads or lanes.
package jobs

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// Most returns how many jobs may run at the same time on the default device: its number of threads, or any number
// if each job can have a lane.
func Most() int {
	if _, lanes := mat.Default().(mat.Laned); lanes {
		return math.MaxInt
	}
	return mat.Threads()
}

// Divide reserves a thread for each of n jobs but one; the returned function undoes that. A parallel region that
// meets another one runs on its own thread alone, so whichever job comes first uses the remaining threads.
func Divide(n int) (undo func()) {
	threads := mat.Threads()
	mat.SetThreads(max(1, threads-n+1))
	return func() { mat.SetThreads(threads) }
}

// InUse returns the number of bytes in use on the heap after garbage collection, plus those on the default device
// if it has memory of its own.
func InUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // collects what the finalizers of the first released
	runtime.ReadMemStats(&m)
	if d, ok := mat.Default().(ownMemory); ok {
		time.Sleep(10 * time.Millisecond) // the device releases memory asynchronously
		return int(m.HeapAlloc) + d.InUse()
	}
	return int(m.HeapAlloc)
}

// Free returns how many bytes are available for matrices on the default device, 0 if unknown.
func Free() uint64 {
	if d, ok := mat.Default().(ownMemory); ok {
		free, _ := d.Memory()
		return free
	}
	return host.This().Free
}

// ownMemory is a device with memory of its own, such as a GPU.
type ownMemory interface {
	InUse() int
	Memory() (free, total uint64)
}

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
