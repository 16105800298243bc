//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"math"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

func (d *device) Write(dst mat.Buffer, src []mat.Real) {
	defer d.enterUnrecorded("Write").leave()
	d.upload(d.memory(dst), unsafe.Pointer(unsafe.SliceData(src)), 4*len(src))
}

// upload copies bytes to the GPU. The driver has read them when it returns, as they are not locked.
func (d *device) upload(to uintptr, from unsafe.Pointer, n int) {
	if n > 0 {
		d.host = from
		d.must("copying to the GPU", d.callDirect(d.toDevice, to, uintptr(from), uintptr(n), d.stream))
		d.host = nil
	}
}

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

func (d *device) At(x *mat.Dense, i int) mat.Real {
	defer d.enterUnrecorded("At").leave()
	d.peek(d.ptr(x)+uintptr(4*i), 4)
	return *(*mat.Real)(d.locked)
}

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

func (d *device) Fill(dst *mat.Dense, v mat.Real) {
	defer d.enter().leave()
	at := d.ptr(dst)
	if n := dst.Len(); n > 0 {
		d.must("filling", d.callDirect(d.library.fill, at, uintptr(math.Float32bits(v)), uintptr(n), d.here()))
	}
}
