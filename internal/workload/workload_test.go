package workload

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// Epoch returns a Step for every batch. It returns the loss of the last one.
func (w *Workload) Epoch() mat.Real {
	var loss mat.Real
	for range w.Batches {
		loss = w.Step()
	}
	return loss
}

// Bytes returns the working memory of an epoch, data and parameters not counted.
func (w *Workload) Bytes() int { return w.prog.Bytes() }

// small are workloads that an epoch of takes about a millisecond; sizes are odd on purpose.
func small(steps int) []ID {
	dense := Shape{Name: "dense", Nodes: 701, Edges: 2100, Features: 37, Density: 1, Classes: 5, Hidden: 45,
		Steps: steps}
	sparse := Shape{Name: "sparse", Nodes: 533, Edges: 1500, Features: 203, Density: 0.05, Classes: 3, Hidden: 33,
		Steps: steps}
	var ids []ID
	for _, e := range Energies {
		ids = append(ids, ID{dense, e, nil}, ID{sparse, e, nil})
	}
	return append(ids, smallKGs(steps)...)
}

// smallKGs are the three knowledge graph models on few triples.
func smallKGs(steps int) []ID {
	var ids []ID
	for _, k := range KGs {
		k.Shape = Shape{Name: k.Name, Nodes: 71, Edges: 20, Hidden: 11, Steps: steps}
		k.Relations, k.Batch, k.Negatives, k.Rate = 3, 20, 7, 0.01
		ids = append(ids, ID{k.Shape, "", &k})
	}
	return ids
}

// TestSameBitsForAnyThreads trains on 1, 2 and 8 threads: losses and weights must agree bit by bit.
func TestSameBitsForAnyThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer mat.SetThreads(0)
	for _, id := range small(3) {
		t.Run(id.String(), func(t *testing.T) {
			var want string
			for _, threads := range []int{1, 2, 8} {
				runtime.GOMAXPROCS(threads)
				mat.SetThreads(threads)
				got := trace(New(id), 5)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%d threads: %s\n1 thread: %s", threads, got, want)
				}
			}
		})
	}
}

// trace is the bits of the losses of some epochs and a checksum of the bits of the weights after them.
func trace(w *Workload, epochs int) string {
	s := ""
	for range epochs {
		s += fmt.Sprintf("%x ", math.Float64bits(float64(w.Epoch())))
	}
	sum := uint64(0)
	for _, p := range w.params {
		for _, x := range p.Value().Slice() {
			sum = sum*31 + math.Float64bits(float64(x))
		}
	}
	return fmt.Sprintf("%s%x", s, sum)
}

func TestEpochAllocatesNothing(t *testing.T) {
	for _, id := range small(3) {
		w := New(id)
		for range 5 { // until as many threads as there are have met, each with buffers of its own
			w.Epoch()
		}
		if n := testing.AllocsPerRun(10, func() { w.Epoch() }); n != 0 {
			t.Errorf("%v: %v allocations an epoch, want 0", id, n)
		}
	}
}

// TestTraining: labels are random, but a model with more parameters than labels learns them. Random facts
// that are hidden from a path model while it predicts them cannot be learnt.
func TestTraining(t *testing.T) {
	for _, id := range small(3) {
		if id.KG != nil && id.KG.Aggregate != "" {
			continue
		}
		w := New(id)
		first := w.Epoch()
		var last mat.Real
		for range 60 {
			last = w.Epoch()
		}
		if !(last < 0.95*first) {
			t.Errorf("%v: loss %v after 60 epochs, %v before", id, last, first)
		}
	}
}

// TestMemoryPerLayer holds ARCHITECTURE.md to its formula: how many bytes one more step costs.
func TestMemoryPerLayer(t *testing.T) {
	s := small(0)[0].Shape
	s.Nodes, s.Hidden = 704, 64 // whole words of bits
	at := func(e Energy, steps int) int {
		s.Steps = steps
		return New(ID{s, e, nil}).Bytes()
	}
	matrix := mat.New(s.Nodes, s.Hidden).Bytes()
	for e, want := range map[Energy]int{
		Base:   0,
		Huber:  s.Nodes * s.Hidden / 8, // one bit an entry: is |h − π| < 1
		Hetero: matrix,                 // h
	} {
		if got := (at(e, 12) - at(e, 4)) / 8; got != want {
			t.Errorf("%s: %d bytes per step, want %d", e, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	for only, want := range map[string]int{"": 23, "cora": 4, "base": 5, "arxiv/hetero": 1, "path-pna": 1} {
		if ids, err := Select(only); err != nil || len(ids) != want {
			t.Errorf("Select(%q): %d workloads, %v; want %d", only, len(ids), err, want)
		}
	}
	if _, err := Select("corra"); err == nil {
		t.Error("Select of an unknown name gave no error")
	}
}

// BenchmarkStep is one training epoch of every workload, of knowledge graphs one batch; -short leaves
// arxiv out.
func BenchmarkStep(b *testing.B) {
	ids, err := Select("")
	if err != nil {
		b.Fatal(err)
	}
	for _, id := range ids {
		b.Run(id.String(), func(b *testing.B) {
			if testing.Short() && id.Name == "arxiv" {
				b.Skip("arxiv takes seconds an epoch")
			}
			w := New(id)
			w.Step()
			b.ReportAllocs()
			for b.Loop() {
				w.Step()
			}
		})
	}
}
