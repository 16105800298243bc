//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bloomgml/bloom/mat"
)

// work is a small model's worth of memory and operations.
type work struct {
	x, y, z, sum *mat.Dense
	index        *mat.Index
	pattern      *mat.Sparse
	edges        *mat.Triples
}

// newWork is on d, and refills its lists by a seed.
func newWork(d *device, seed uint64) (w *work) {
	mat.On(d, func() {
		w = &work{x: mat.New(40, 16), y: mat.New(16, 16), z: mat.New(40, 16), sum: mat.New(1, 1)}
		mat.Uniform(w.x, -1, 1, seed)
		mat.Uniform(w.y, -1, 1, seed+1)
		w.index, w.pattern = mat.NewBatchIndex(40, 40), mat.NewBatchSparse(40, 40, 3)
		w.edges = mat.NewBatchTriples([3]int{40, 40, 16}, 60)
		w.refill(seed)
	})
	return w
}

func (w *work) refill(seed uint64) {
	ids := make([]int32, 120)
	for i := range ids {
		ids[i] = int32(mat.Mix(seed, uint64(i)) % 40)
	}
	by := make([]int32, 60)
	for i := range by {
		by[i] = ids[i] % 16
	}
	first := make([]int32, 60)
	for i := range first {
		first[i] = int32(i * 40 / 60)
	}
	for _, err := range []error{w.index.Update(ids[:40]), w.pattern.Update(ids),
		w.edges.Update([3][]int32{first, ids[:60], by})} {
		if err != nil {
			panic(err)
		}
	}
}

// operations asks for 8, of all kinds, that end in sum.
func (w *work) operations() {
	mat.MatMul(w.z, w.x, w.y, mat.NN, 1, 0)
	mat.SpMM(w.z, w.pattern, false, nil, w.x, 1, 1)
	mat.RelMM(w.z, w.edges, 0, w.x, w.y, 1)
	mat.SegmentSum(w.z, w.x, w.index, 1, 1)
	mat.Map(w.z, w.z, "tanh", 0, 0)
	mat.Axpby(w.z, w.z, w.x, 1, 0.5)
	mat.Softmax(w.z, w.z, false)
	mat.Dot(w.sum, w.z, w.x)
}

// TestMixed: 10⁵ operations of all kinds, recorded ones, reads and refills from many goroutines give what one gives.
func TestMixed(t *testing.T) {
	d := gpu(t)
	const routines, rounds = 16, 800 // of 8 operations each
	want := make([]mat.Real, routines)
	for k := range want {
		w := newWork(d, uint64(k))
		w.operations()
		want[k] = w.sum.Item()
	}
	var all sync.WaitGroup
	for k := range routines {
		all.Go(func() {
			w := newWork(d, uint64(k))
			ask := w.operations
			if k%4 == 0 {
				ask = d.Record(w.operations)
			}
			for i := range rounds {
				if i%100 == 50 {
					w.refill(uint64(k))
				}
				ask()
				if got := w.sum.Item(); i%50 == 0 && got != want[k] {
					t.Errorf("goroutine %d, round %d: %v, want %v", k, i, got, want[k])
					return
				}
			}
		})
	}
	all.Wait()
}

// TestModels: 1,000 models that are made, recorded, run and dropped leave no memory taken.
func TestModels(t *testing.T) {
	d := gpu(t)
	used := func() int {
		for range 3 {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
		}
		return d.InUse()
	}
	for range 20 {
		d.Record(newWork(d, 1).operations)()
	}
	before := used()
	for k := range uint64(1000) {
		w := newWork(d, k)
		w.operations()
		d.Record(w.operations)()
	}
	if after := used(); after > before+1<<20 {
		t.Errorf("%d bytes are in use after 1,000 models, %d were before", after, before)
	}
}

// TestNoMemory: more memory than the GPU has is an error that says what to do, and the GPU works on.
func TestNoMemory(t *testing.T) {
	d := gpu(t)
	_, total := d.Memory()
	err := failing(func() { mat.NewOn(d, int(total/4), 2) })
	e := (*Error)(nil)
	if !errors.As(err, &e) || e.Code != codeNoMemory || !strings.Contains(err.Error(), "checkpointed") {
		t.Errorf("twice the memory of the GPU: %v", err)
	}
	w := newWork(d, 3)
	w.operations()
	if s := w.sum.Item(); s != s {
		t.Error("the GPU computes no numbers afterwards")
	}
}

// TestLost: what a lost GPU answers to any call becomes an error that says so.
func TestLost(t *testing.T) {
	d := gpu(t)
	err := failing(func() { d.must("testing", codeLaunch) })
	if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), "checkpoint") {
		t.Errorf("a lost GPU: %v", err)
	}
}

// failing is the *Error that f panics with.
func failing(f func()) (err error) {
	defer caught(&err)
	f()
	return nil
}
