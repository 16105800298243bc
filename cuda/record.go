//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/bloomgml/bloom/internal/host"
)

// recording is the current recording of a device.
type recording struct {
	one   sync.Mutex  // of Record
	on    atomic.Bool // somebody records
	who   string      // which goroutine
	kept  []*block    // memory of what was recorded
	rooms []*block    // scratch of what was recorded, free for the next operation
}

// graph holds recorded operations and the memory that they work on.
type graph struct {
	exec uintptr
	kept []*block
}

// Record captures the operations of this goroutine on a separate stream; operations of other goroutines run meanwhile.
func (d *device) Record(f func()) (replay func()) {
	d.one.Lock()
	defer d.one.Unlock()
	const relaxed = 2 // whatever other threads do
	d.enter()
	d.must("recording", call(d.begin, d.tape, relaxed))
	d.leave()
	d.who = host.GoroutineID()
	d.on.Store(true)
	done := false
	defer func() {
		if !done { // f panics
			d.captured()
		}
	}()
	f()
	done = true
	g := d.captured()
	return func() {
		d.enter()
		defer d.leave()
		d.must("replaying", d.callDirect(d.library.replay, g.exec, d.stream))
	}
}

// captured ends a recording.
func (d *device) captured() *graph {
	d.on.Store(false)
	defer d.enter().leave()
	g := &graph{kept: append(d.kept, d.rooms...)}
	d.kept, d.rooms = nil, nil
	var list uintptr
	d.must("recording", call(d.end, d.tape, uintptr(unsafe.Pointer(&list))))
	d.must("recording", call(d.instantiate, uintptr(unsafe.Pointer(&g.exec)), list, 0))
	d.must("recording", call(d.dropGraph, list))
	runtime.AddCleanup(g, d.drop, g.exec)
	return g
}

// drop frees a graph that can no longer be replayed.
func (d *device) drop(exec uintptr) {
	defer d.enter().leave()
	call(d.dropExec, exec)
}

// recorded reports whether this goroutine records.
func (d *device) recorded() bool { return d.on.Load() && d.who == host.GoroutineID() }

// here returns the stream that operations of this goroutine go to.
func (d *device) here() uintptr {
	if d.recorded() {
		return d.tape
	}
	return d.stream
}

// mustNotRecord panics if an operation of a program needs the host.
func (d *device) mustNotRecord(what string) {
	if d.recorded() {
		panic(fmt.Sprintf("cuda: %s while operations are recorded", what))
	}
}

// scratch returns memory for the time of an operation, until done takes it back. Recorded operations share their
// scratch memory; other small blocks are kept for the next operation.
func (d *device) scratch(n int) *block {
	size, list := rounded(n), &d.small
	if d.recorded() {
		list = &d.rooms
	}
	for i, b := range *list {
		if b.size == size {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return b
		}
	}
	return d.allocate(n)
}

// done takes back scratch memory.
func (d *device) done(b *block) {
	switch {
	case d.recorded():
		d.rooms = append(d.rooms, b)
	case b.size <= small:
		d.small = append(d.small, b)
	default:
		d.recycle(b)
	}
}
