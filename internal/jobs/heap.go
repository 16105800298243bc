// Package jobs says what jobs on the default device take and may take: memory, and threads or lanes.
package jobs

import (
	"runtime"
	"time"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

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
