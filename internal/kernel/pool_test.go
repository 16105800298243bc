package kernel

import (
	"sync/atomic"
	"testing"
	"time"
)

// countTask counts how often each chunk ran.
type countTask struct{ runs []atomic.Int32 }

func (t *countTask) do(i int) { t.runs[i].Add(1) }

func TestParallelRunsEveryChunkOnce(t *testing.T) {
	defer SetThreads(0)
	for _, threads := range []int{1, 2, 8} {
		SetThreads(threads)
		for chunks := range 70 {
			task := &countTask{make([]atomic.Int32, chunks)}
			parallel(chunks, task)
			for i := range task.runs {
				if n := task.runs[i].Load(); n != 1 {
					t.Fatalf("%d threads, %d chunks: chunk %d ran %d times", threads, chunks, i, n)
				}
			}
			if chunks%16 == 0 {
				time.Sleep(2 * spinFor) // let the workers park, so that waking is exercised too
			}
		}
	}
}

// nestTask opens a region inside a region.
type nestTask struct{ inner *countTask }

func (t nestTask) do(int) { parallel(len(t.inner.runs), t.inner) }

func TestParallelNests(t *testing.T) {
	inner := &countTask{make([]atomic.Int32, 5)}
	parallel(3, nestTask{inner})
	for i := range inner.runs {
		if n := inner.runs[i].Load(); n != 3 {
			t.Errorf("inner chunk %d ran %d times, want 3", i, n)
		}
	}
}

type idleTask struct{}

func (idleTask) do(int) {}

// BenchmarkForkJoin is the cost of an empty region.
func BenchmarkForkJoin(b *testing.B) {
	var t task = idleTask{}
	for b.Loop() {
		parallel(2, t)
	}
}
