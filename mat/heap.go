package mat

import (
	"runtime"
	"time"

	"github.com/bloomgml/bloom/internal/host"
)

// HeapInUse returns the number of bytes in use on the heap after garbage collection, plus those on the default device
// if it has memory of its own.
func HeapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // collects what the finalizers of the first released
	runtime.ReadMemStats(&m)
	if d, ok := Default().(ownMemory); ok {
		time.Sleep(10 * time.Millisecond) // the device releases memory asynchronously
		return int(m.HeapAlloc) + d.InUse()
	}
	return int(m.HeapAlloc)
}

// FreeMemory returns how many bytes are available for matrices on the default device, 0 if unknown.
func FreeMemory() uint64 {
	if d, ok := Default().(ownMemory); ok {
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
