//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"math"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// Write copies numbers of the host to the GPU.
func (d *device) Write(dst mat.Buffer, src []mat.Real) {
	defer d.enterUnrecorded("Write").leave()
	d.upload(d.memory(dst), unsafe.Pointer(unsafe.SliceData(src)), 4*len(src))
}

// upload copies bytes to the GPU. The host's may change when it returns: the driver has read a few bytes by then, and
// many go by a ring of locked memory, so that the host need not wait for operations before them.
func (d *device) upload(to uintptr, from unsafe.Pointer, n int) {
	if n == 0 {
		return
	}
	if n >= ringFrom && n <= ringBytes {
		from = d.staged(from, n)
	}
	d.host = from
	d.must("copying to the GPU", d.callDirect(d.toDevice, to, uintptr(from), uintptr(n), d.stream))
	d.host = nil
}

// Sizes of the ring of locked memory, and of the smallest copy that goes by it.
const ringBytes, ringFrom = 256 << 20, 32 << 10

// staged returns a copy of n bytes in the ring. Where it begins again, all copies out of it are done.
func (d *device) staged(from unsafe.Pointer, n int) unsafe.Pointer {
	if d.ring == nil {
		d.must("locking memory", call(d.hostAlloc, uintptr(unsafe.Pointer(&d.ring)), ringBytes, 0))
	}
	if d.ringAt+n > ringBytes {
		d.wait()
		d.ringAt = 0
	}
	to := unsafe.Add(d.ring, d.ringAt)
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	d.ringAt += (n + alignment - 1) / alignment * alignment
	return to
}

// Read copies numbers of the GPU to the host.
func (d *device) Read(dst []mat.Real, src mat.Buffer) {
	defer d.enterUnrecorded("Read").leave()
	d.download(unsafe.Pointer(unsafe.SliceData(dst)), d.memory(src), 4*len(dst))
}

// download copies bytes to the host and waits for them.
func (d *device) download(to unsafe.Pointer, from uintptr, n int) {
	if n == 0 {
		return
	}
	if n > lockedBytes {
		d.host = to
		d.must("copying from the GPU", d.callDirect(d.toHost, uintptr(to), from, uintptr(n), d.stream))
		d.wait()
		d.host = nil
		return
	}
	d.peek(from, n)
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(d.locked), n))
}

// peek copies a few bytes to the locked memory and waits for them.
func (d *device) peek(from uintptr, n int) {
	d.must("copying from the GPU", d.callDirect(d.toHost, uintptr(d.locked), from, uintptr(n), d.stream))
	d.wait()
}

// At returns a single entry.
func (d *device) At(x *mat.Dense, i int) mat.Real {
	defer d.enterUnrecorded("At").leave()
	d.peek(d.ptr(x)+uintptr(4*i), 4)
	return *(*mat.Real)(d.locked)
}

// Copy is dst ← x.
func (d *device) Copy(dst, x *mat.Dense) {
	defer d.enter().leave()
	to, from := d.ptr(dst), d.ptr(x)
	d.move(to, from, x.Len())
}

// move copies n numbers on the GPU.
func (d *device) move(to, from uintptr, n int) {
	if n > 0 && to != from {
		d.must("copying", d.callDirect(d.library.copy, to, from, uintptr(4*n), d.here()))
	}
}

// Fill is dst[i] ← v.
func (d *device) Fill(dst *mat.Dense, v mat.Real) {
	defer d.enter().leave()
	at := d.ptr(dst)
	if n := dst.Len(); n > 0 {
		d.must("filling", d.callDirect(d.library.fill, at, uintptr(math.Float32bits(v)), uintptr(n), d.here()))
	}
}
