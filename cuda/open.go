//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// opened holds the devices of this program by number.
var opened struct {
	sync.Mutex
	list map[int]*device
}

// Open returns GPU n, as the driver counts them from 0. A GPU is opened once: a second call returns the same Device.
// The error says what is missing and what to do.
func Open(n int) (mat.Device, error) {
	lib, err := loaded()
	if err != nil {
		return nil, err
	}
	opened.Lock()
	defer opened.Unlock()
	if d := opened.list[n]; d != nil {
		return d, nil
	}
	d, err := newDevice(lib, n)
	if err != nil {
		return nil, err
	}
	if opened.list == nil {
		opened.list = map[int]*device{}
	}
	opened.list[n] = d
	return d, nil
}

// Attributes of a device that describe reads.
const (
	attributeProcessors = 16
	attributeMajor      = 75
	attributeMinor      = 76
)

// newDevice opens GPU n: its primary context, which cuBLAS shares, and the kernels.
func newDevice(lib *library, n int) (*device, error) {
	var count, handle int32
	if err := lib.check("counting GPUs", call(lib.count, uintptr(unsafe.Pointer(&count)))); err != nil {
		return nil, err
	}
	if n < 0 || n >= int(count) {
		return nil, fmt.Errorf("cuda: there is no GPU %d: this machine has %d, numbered from 0", n, count)
	}
	if err := lib.check("finding the GPU", call(lib.get, uintptr(unsafe.Pointer(&handle)), uintptr(n))); err != nil {
		return nil, err
	}
	d := &device{library: lib, number: n, from: tensorFrom{work: 1 << 24, side: 32}, sortFrom: 1 << 13}
	d.arena.spare = map[int][]uintptr{}
	d.describe(handle)
	if d.major < 7 {
		return nil, fmt.Errorf("cuda: the GPU %s has compute capability %d.%d, and bloom needs 7.0 or more: use "+
			"--device cpu",
			d.model, d.major, d.minor)
	}
	return d, d.start(handle)
}

// describe reads the properties of the GPU.
func (d *device) describe(handle int32) {
	var name [256]byte
	call(d.name, uintptr(unsafe.Pointer(&name[0])), 255, uintptr(handle))
	for i, b := range name {
		if b == 0 {
			d.model = string(name[:i])
			break
		}
	}
	for at, to := range map[int]*int32{
		attributeProcessors: &d.processors, attributeMajor: &d.major, attributeMinor: &d.minor,
	} {
		call(d.attribute, uintptr(unsafe.Pointer(to)), uintptr(at), uintptr(handle))
	}
}

// start makes the context and the kernels, and then what every lane has separately.
func (d *device) start(handle int32) (err error) {
	code := call(d.retain, uintptr(unsafe.Pointer(&d.context)), uintptr(handle))
	if err := d.check("opening the GPU", code); err != nil {
		return err
	}
	defer caught(&err)
	defer d.enter().leave()
	d.kernels.load(d)
	if d.major >= tensorCards {
		d.allowTensor()
	}
	d.equip()
	return nil
}

// caught turns a panic with an *Error into an error.
func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}

// equip makes streams, locked memory and a handle of cuBLAS.
func (d *device) equip() {
	const apart = 1 // from the default stream
	d.must("making a stream", call(d.newStream, uintptr(unsafe.Pointer(&d.stream)), apart))
	d.must("making a stream", call(d.newStream, uintptr(unsafe.Pointer(&d.tape)), apart))
	d.must("locking memory", call(d.hostAlloc, uintptr(unsafe.Pointer(&d.locked)), lockedBytes, 0))
	d.blas.open(d)
}

// Lane returns a device on the same GPU with its own streams and memory. Context and kernels are shared.
func (d *device) Lane() (lane mat.Device, err error) {
	l := &device{library: d.library, number: d.number, model: d.model, processors: d.processors, major: d.major,
		minor: d.minor, context: d.context, kernels: d.kernels, from: d.from, sortFrom: d.sortFrom}
	l.arena.spare = map[int][]uintptr{}
	defer caught(&err)
	l.enter()
	defer l.leave()
	l.equip()
	return l, nil
}
