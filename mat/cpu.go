package mat

import (
	"sync"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/kernel"
)

// cpu is the Device that runs package kernel.
type cpu struct{}

var _ interface {
	Stepper
	Descender
	Normalizer
	Turner
	imaginary
	cutter
} = cpu{}

// CPU is the first Device. It has all fused operations.
var CPU Device = cpu{}

// defaultDevice is where New and the other constructors allocate.
var defaultDevice atomic.Pointer[Device]

// Default returns the device that constructors allocate on: the CPU unless Use, or On for this goroutine, chose another
// one.
func Default() Device {
	if d := scoped(); d != nil {
		return d
	}
	if d := defaultDevice.Load(); d != nil {
		return *d
	}
	return CPU
}

// Use makes dev the default device, for programs that run everything on one other than the CPU. Call it before the
// first matrix is made: those made before stay where they are, and operations refuse operands of two devices.
func Use(dev Device) { defaultDevice.Store(&dev) }

// SetThreads makes the CPU device use n threads; n < 1 means one per available core. Results are
// the same bits for any n.
func SetThreads(n int) { kernel.SetThreads(n) }

// Threads returns how many threads the CPU device uses.
func Threads() int { return kernel.Threads() }

// Task is work in numbered pieces that may be done at the same time and in any order.
type Task interface{ Do(i int) }

// cpuBuffer is memory of the CPU device.
type cpuBuffer []Real

func (b cpuBuffer) Len() int { return len(b) }

// cpuIndex is an Index on the CPU: the ids, and for every id the positions that hold it. For few ids below a large
// bound, the positions, which cost as much as the bound, are found on first use: such lists mostly pick rows only.
type cpuIndex struct {
	ids   []int32
	bound int
	once  sync.Once
	held  *kernel.CSR
}

// inverse returns the positions of every id.
func (x *cpuIndex) inverse() *kernel.CSR {
	x.once.Do(func() { x.held = kernel.Invert(x.ids, x.bound) })
	return x.held
}

func (x *cpuIndex) Len() int { return len(x.ids) }

// cpuPattern is a Sparse on the CPU: its entries by rows, and by columns with their numbers.
type cpuPattern struct{ byRow, byCol *kernel.CSR }

func (p *cpuPattern) Len() int { return p.byRow.NNZ() }

// data returns the memory of d, nil for a nil matrix.
func data(d *Dense) []Real {
	if d == nil {
		return nil
	}
	return d.buf.(cpuBuffer)[:d.Len()]
}

// ids returns the numbers of an Index, nil for a nil Index.
func ids(x *Index) []int32 {
	if x == nil {
		return nil
	}
	return x.buf.(*cpuIndex).ids
}

// side returns S by rows, or Sᵀ by rows. A symmetric pattern without values is its own transpose.
func side(s *Sparse, transpose, values bool) *kernel.CSR {
	p := s.buf.(*cpuPattern)
	if transpose && (values || !s.symmetric) {
		return p.byCol
	}
	return p.byRow
}

// spread says how b is broadcast to shape a.
func spread(a, b Shape) kernel.Broadcast {
	switch {
	case a == b:
		return kernel.Full
	case b.Len() == 1:
		return kernel.ByScalar
	case b.Rows == 1:
		return kernel.ByRow
	}
	return kernel.ByCol
}

func (cpu) Name() string                     { return "cpu" }
func (cpu) Alloc(n int) Buffer               { return cpuBuffer(kernel.Alloc(n)) }
func (cpu) Write(dst Buffer, src []Real)     { copy(dst.(cpuBuffer), src) }
func (cpu) Read(dst []Real, src Buffer)      { copy(dst, src.(cpuBuffer)) }
func (cpu) Cut(b Buffer, from, n int) Buffer { return b.(cpuBuffer)[from : from+n : from+n] }

func (cpu) Free(Buffer) {} // that is the garbage collector's business

func (cpu) Sync()              {}
func (cpu) Each(n int, t Task) { kernel.Each(n, t) }

func (cpu) Index(list []int32, bound int) Buffer {
	x := &cpuIndex{ids: list, bound: bound}
	if bound < 1<<12 || bound < 16*len(list) {
		x.inverse()
	}
	return x
}

func (cpu) Pattern(rows, cols int, ptr []int64, idx []int32) Buffer {
	a, err := kernel.NewCSR(rows, cols, ptr, idx, nil)
	if err != nil {
		panic(err) // it was checked
	}
	return &cpuPattern{a, a.Transpose()}
}

func (cpu) UpdateIndex(x Buffer, ids []int32) {
	list := x.(*cpuIndex)
	copy(list.ids, ids)
	list.inverse().Refill(list.ids)
}

func (cpu) UpdatePattern(s Buffer, idx []int32) {
	p := s.(*cpuPattern)
	copy(p.byRow.Idx, idx)
	p.byCol.RefillTranspose(p.byRow)
}
