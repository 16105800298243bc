package mattest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// Opaque is a second mat.Device, for tests: the proof that a Device can live outside of package mat and that nothing
// above it needs more than the interface promises. It computes as the CPU does.
//
//   - Its memory is of types that nobody else has, and it panics at memory of another Device or that was freed.
//   - It has the required operations and none of the optional ones, so that package ad runs the plain forms.
//   - It records programs, and panics where one of their operations brings numbers to the host, writes, updates or
//     allocates.
//
// Every suite runs on it under the build tag opaque, with which package ad makes it the default device:
//
//	go test -tags opaque ./ad ./energy
var Opaque mat.Device = &opaque{}

var _ interface {
	mat.Recorder
	mat.Laned
} = &opaque{}

type opaque struct{ recording }

// numbers is the memory of matrices.
type numbers struct {
	of   *mat.Dense // on the CPU
	gone bool
}

func (n *numbers) Len() int { return n.of.Len() }

// memory returns b, which must be alive and of this device.
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

// onCPU returns x as a matrix of the CPU, nil for nil.
func onCPU(x *mat.Dense) *mat.Dense {
	if x == nil {
		return nil
	}
	return memory(x.Buffer()).of.As(x.Shape())
}

// The lists of the device are lists of the CPU.
type (
	index   struct{ *mat.Index }
	sparse  struct{ *mat.Sparse }
	listed  struct{ *mat.Triples }
	grouped struct{ *mat.Groups }
	seed64  struct{ *mat.Seed }
)

func (s sparse) Len() int { return s.NNZ() }
func (seed64) Len() int   { return 1 }

// ids returns x as an Index of the CPU, nil for nil.
func ids(x *mat.Index) *mat.Index {
	if x == nil {
		return nil
	}
	return x.Buffer().(index).Index
}

func pairs(s *mat.Sparse) *mat.Sparse { return s.Buffer().(sparse).Sparse }

// made returns what f makes on the CPU.
func made[T any](f func() (T, error)) (list T) {
	mat.On(mat.CPU, func() {
		var err error
		if list, err = f(); err != nil {
			panic(err) // it was checked
		}
	})
	return list
}

func (*opaque) Name() string { return "opaque" }

// Lane returns one more device, which records by itself.
func (*opaque) Lane() (mat.Device, error) { return &opaque{}, nil }

func (d *opaque) Alloc(n int) mat.Buffer {
	d.mustNotRecord("Alloc")
	return &numbers{of: mat.NewOn(mat.CPU, n, 1)}
}

func (d *opaque) Free(b mat.Buffer) {
	d.mustNotRecord("Free")
	if n, ok := b.(*numbers); ok {
		memory(n).gone = true
	}
}

func (d *opaque) Write(dst mat.Buffer, src []mat.Real) {
	d.mustNotRecord("Write")
	mat.CPU.Write(memory(dst).of.Buffer(), src)
}

func (d *opaque) Read(dst []mat.Real, src mat.Buffer) {
	d.mustNotRecord("Read")
	mat.CPU.Read(dst, memory(src).of.Buffer())
}

func (d *opaque) At(x *mat.Dense, i int) mat.Real {
	d.mustNotRecord("At")
	return mat.CPU.At(memory(x.Buffer()).of, i)
}

func (d *opaque) FirstNonFinite(x *mat.Dense) int {
	d.mustNotRecord("FirstNonFinite")
	return mat.CPU.FirstNonFinite(onCPU(x))
}

func (d *opaque) Sync() { d.mustNotRecord("Sync") }

// Each does one piece after the other.
func (d *opaque) Each(n int, t mat.Task) {
	for i := range n {
		t.Do(i)
	}
}

func (d *opaque) Index(list []int32, bound int) mat.Buffer {
	d.mustNotRecord("Index")
	return index{made(func() (*mat.Index, error) { return mat.NewIndex(list, bound) })}
}

func (d *opaque) UpdateIndex(x mat.Buffer, list []int32) {
	d.mustNotRecord("UpdateIndex")
	mat.CPU.UpdateIndex(x.(index).Buffer(), list)
}

func (d *opaque) Pattern(rows, cols int, ptr []int64, idx []int32) mat.Buffer {
	d.mustNotRecord("Pattern")
	return sparse{made(func() (*mat.Sparse, error) {
		return mat.NewSparse(rows, cols, slices.Clone(ptr), slices.Clone(idx))
	})}
}

func (d *opaque) UpdatePattern(s mat.Buffer, idx []int32) {
	d.mustNotRecord("UpdatePattern")
	mat.CPU.UpdatePattern(s.(sparse).Buffer(), idx)
}

func (d *opaque) Triples(bounds [3]int, list [3][]int32) mat.Buffer {
	d.mustNotRecord("Triples")
	return listed{made(func() (*mat.Triples, error) { return mat.NewTriples(bounds, list) })}
}

func (d *opaque) UpdateTriples(t mat.Buffer, list [3][]int32) {
	d.mustNotRecord("UpdateTriples")
	mat.CPU.UpdateTriples(t.(listed).Buffer(), list)
}

func (d *opaque) Groups(bounds []int) mat.Buffer {
	d.mustNotRecord("Groups")
	sizes := make([]int, len(bounds)-1)
	for g := range sizes {
		sizes[g] = bounds[g+1] - bounds[g]
	}
	return grouped{made(func() (*mat.Groups, error) { return mat.NewGroups(sizes...), nil })}
}

func (d *opaque) UpdateGroups(g mat.Buffer, bounds []int) {
	d.mustNotRecord("UpdateGroups")
	mat.CPU.UpdateGroups(g.(grouped).Buffer(), bounds)
}

func (d *opaque) Seed() mat.Buffer {
	d.mustNotRecord("Seed")
	return seed64{made(func() (*mat.Seed, error) { return mat.NewSeed(), nil })}
}

func (d *opaque) UpdateSeed(s mat.Buffer, v uint64) {
	d.mustNotRecord("UpdateSeed")
	s.(seed64).Set(v)
}

// recording is what a device is recording.
type recording struct {
	one   sync.Mutex  // of Record
	on    atomic.Bool // somebody records
	owner string      // who
	list  []func()
}

// Record keeps the operations that this goroutine asks for; those of others are done meanwhile.
func (r *recording) Record(f func()) (replay func()) {
	r.one.Lock()
	defer r.one.Unlock()
	r.owner, r.list = host.GoroutineID(), nil
	r.on.Store(true)
	defer func() {
		r.on.Store(false)
		r.list = nil
	}()
	f()
	list := r.list
	return func() {
		for _, do := range list {
			do()
		}
	}
}

// recorded reports whether this goroutine records.
func (r *recording) recorded() bool { return r.on.Load() && r.owner == host.GoroutineID() }

// run does f with the matrices xs on the CPU, or keeps it for replays, on the memory that they have now, while this
// goroutine records.
func (r *recording) run(f func(operands), xs ...*mat.Dense) {
	m := make(operands, len(xs))
	for i, x := range xs {
		m[i] = onCPU(x)
	}
	if r.recorded() {
		r.list = append(r.list, func() { f(m) })
		return
	}
	f(m)
}

// mustNotRecord panics where an operation of a program needs the host.
func (r *recording) mustNotRecord(what string) {
	if r.recorded() {
		panic(fmt.Sprintf("opaque: %s while operations are recorded", what))
	}
}
