package opaque

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// Device computes with the kernels of the CPU, on memory of its own.
var Device mat.Device = &device{}

var _ interface {
	mat.Recorder
	mat.Laned
} = &device{}

type device struct{ recording }

// numbers is the memory of matrices.
type numbers struct {
	v    []mat.Real
	gone bool
}

func (n *numbers) Len() int { return len(n.v) }

// memory is b, which must be alive and of this device.
func memory(b mat.Buffer) *numbers {
	n, ok := b.(*numbers)
	if !ok {
		panic(fmt.Sprintf("opaque: memory of another device, %T", b))
	}
	if n.gone {
		panic("opaque: memory that was freed")
	}
	return n
}

// data are the numbers of a matrix, nil for a nil one.
func data(x *mat.Dense) []mat.Real {
	if x == nil {
		return nil
	}
	return memory(x.Buffer()).v[:x.Len()]
}

func (*device) Name() string { return "opaque" }

// Lane is one more device, which records by itself.
func (*device) Lane() (mat.Device, error) { return &device{}, nil }

func (d *device) Alloc(n int) mat.Buffer {
	d.mustNotRecord("Alloc")
	return &numbers{v: kernel.Alloc(n)}
}

func (d *device) Free(b mat.Buffer) {
	d.mustNotRecord("Free")
	if n, ok := b.(*numbers); ok {
		memory(n).gone = true
	}
}

func (d *device) Write(dst mat.Buffer, src []mat.Real) {
	d.mustNotRecord("Write")
	copy(memory(dst).v, src)
}

func (d *device) Read(dst []mat.Real, src mat.Buffer) {
	d.mustNotRecord("Read")
	copy(dst, memory(src).v)
}

func (d *device) At(x *mat.Dense, i int) mat.Real {
	d.mustNotRecord("At")
	return data(x)[i]
}

func (d *device) FirstNonFinite(x *mat.Dense) int {
	d.mustNotRecord("FirstNonFinite")
	return kernel.FirstNonFinite(data(x))
}

func (d *device) Sync() { d.mustNotRecord("Sync") }

// Each does one piece after the other.
func (d *device) Each(n int, t mat.Task) {
	for i := range n {
		t.Do(i)
	}
}
