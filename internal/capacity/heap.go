// Package capacity says how much memory a program uses and how many pieces of work fit on a device at a time.
package capacity

import (
	"runtime"
	"time"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// HeapInUse is the number of bytes on the heap that are in use, once all garbage is collected, and those on the default
// device where it has memory of its own.
func HeapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers of the first let go
	runtime.ReadMemStats(&m)
	if d, ok := mat.Default().(apart); ok {
		time.Sleep(10 * time.Millisecond) // memory of a device is let go beside the program
		return int(m.HeapAlloc) + d.InUse()
	}
	return int(m.HeapAlloc)
}

// Free is how many bytes matrices can have on the default device, 0 where that is not known.
func Free() uint64 {
	if d, ok := mat.Default().(apart); ok {
		free, _ := d.Memory()
		return free
	}
	return host.This().Free
}

// apart is a device with memory of its own, as a card has.
type apart interface {
	InUse() int
	Memory() (free, total uint64)
}
