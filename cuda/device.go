//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
	"github.com/ebitengine/purego"
)

var _ interface {
	mat.Device
	mat.Stepper
	mat.Descender
	mat.Normalizer
	mat.Turner
	mat.Crowd
	mat.Recorder
	mat.Laned
} = &device{}

// device is one GPU, or a lane of it.
//
// A context belongs to the thread that made it current, and goroutines change threads. A dedicated thread to which
// everything is sent would cost two wake-ups of a sleeping thread per operation, 10 µs, while the call itself takes 2.
// So every method holds a lock, keeps its goroutine on its thread meanwhile and makes the context current there, which
// takes less than 1 µs: at any time one thread has the context.
type device struct {
	*library
	number                   int
	model                    string
	processors, major, minor int32

	mu      sync.Mutex
	context uintptr
	stream  uintptr // where operations run
	tape    uintptr // where they are recorded
	locked  unsafe.Pointer
	host    unsafe.Pointer // memory of Go that a copy is about: as it stands here, it is on the heap, where it stays

	arena   arena
	small   []*block // scratch that is free
	kernels kernels
	crowd   crowd
	values  [maxArgs]uint64 // of the arguments of a launch
	places  [maxArgs]unsafe.Pointer
	frame   [19]uintptr // arguments of a call of the driver
	recording
	blas blas
	from tensorFrom

	sortFrom int // from how many entries and rows on the GPU sorts lists that are refilled
}

// lockedBytes is the size of memory of the host that the GPU accesses directly, for small reads.
const lockedBytes = 4096

// enter takes the GPU for a method, which releases it with leave:
//
//	defer d.enter().leave()
func (d *device) enter() *device {
	d.mu.Lock()
	runtime.LockOSThread()
	d.must("choosing the GPU", d.callDirect(d.setCurrent, d.context))
	return d
}

// enterUnrecorded is enter for a method that no recorded program may call.
func (d *device) enterUnrecorded(method string) *device {
	d.mustNotRecord(method)
	return d.enter()
}

func (d *device) leave() {
	runtime.UnlockOSThread()
	d.mu.Unlock()
}

func (d *device) Name() string { return fmt.Sprintf("cuda:%d", d.number) }

// String names the GPU too.
func (d *device) String() string { return fmt.Sprintf("cuda:%d (%s)", d.number, d.model) }

// Memory returns how many bytes of the GPU are free, and how many it has.
func (d *device) Memory() (free, total uint64) {
	defer d.enter().leave()
	d.must("asking for free memory", call(d.info, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))))
	return free + uint64(d.arena.idle), total
}

// InUse returns how many bytes matrices, lists and recorded programs have.
func (d *device) InUse() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.arena.used
}

// callDirect is call for arguments that do not point to Go memory other than the device's own: it allocates nothing.
func (d *device) callDirect(f uintptr, args ...uintptr) uintptr {
	n := copy(d.frame[:], args)
	r, _, _ := purego.SyscallN(f, d.frame[:n]...)
	return uintptr(uint32(r))
}

// Sync waits until all operations are done.
func (d *device) Sync() {
	defer d.enterUnrecorded("Sync").leave()
	d.wait()
}

// wait is Sync for a caller that has already entered.
func (d *device) wait() { d.must("waiting for the GPU", d.callDirect(d.sync, d.stream)) }

// Each runs one piece after another: an operation takes the whole GPU.
func (d *device) Each(n int, t mat.Task) {
	for i := range n {
		t.Do(i)
	}
}
