package kernel

import (
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/host"
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

// seerTask has what was said of every chunk: which one the thread that did it had done before, plus one.
type seerTask struct {
	countTask
	after []atomic.Int32
}

func (t *seerTask) before(i, next int) {
	t.do(i)
	if next < len(t.after) && !t.after[next].CompareAndSwap(0, int32(i+1)) {
		panic("two threads were told that they do the same chunk next")
	}
}

// TestSeers: every chunk of a task that is told the next one runs once, and no two are told the same.
func TestSeers(t *testing.T) {
	defer SetThreads(0)
	for _, threads := range []int{1, 2, 8} {
		SetThreads(threads)
		for chunks := range 70 {
			task := &seerTask{countTask{make([]atomic.Int32, chunks)}, make([]atomic.Int32, chunks)}
			multiplyAhead(chunks, task, task)
			told := 0
			for i := range task.runs {
				if n := task.runs[i].Load(); n != 1 {
					t.Fatalf("%d threads, %d chunks: chunk %d ran %d times", threads, chunks, i, n)
				}
				if before := int(task.after[i].Load()); before > i {
					t.Fatalf("%d threads, %d chunks: chunk %d was said to come after %d", threads, chunks, i, before-1)
				} else if before > 0 {
					told++
				}
			}
			if want := chunks - 2*threads; threads > 1 && told < want {
				t.Errorf("%d threads, %d chunks: %d were announced, want %d or more", threads, chunks, told, want)
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

// breakTask has two chunks that run at the same time; one of them panics, that of a worker or that of the caller.
type breakTask struct {
	both   sync.WaitGroup
	worker bool
}

func (t *breakTask) do(int) {
	t.both.Done()
	t.both.Wait()
	if strings.Contains(string(debug.Stack()), ".serve(") == t.worker {
		panic("broken")
	}
}

// TestParallelPanics: a panic anywhere in a region comes to the caller, that of a worker with its stack, and the next
// region runs every chunk.
func TestParallelPanics(t *testing.T) {
	defer SetThreads(0)
	SetThreads(2)
	for _, worker := range []bool{true, false} {
		func() {
			defer func() {
				cause := recover()
				if p, ok := cause.(*host.Panic); ok != worker || ok && !strings.Contains(string(p.Stack), "breakTask") {
					t.Errorf("worker %v: recovered %T %v", worker, cause, cause)
				} else if ok {
					cause = p.Cause
				}
				if cause != "broken" {
					t.Errorf("worker %v: recovered %v", worker, cause)
				}
			}()
			task := &breakTask{worker: worker}
			task.both.Add(2)
			parallel(2, task)
		}()
		after := &countTask{make([]atomic.Int32, 9)}
		parallel(len(after.runs), after)
		for i := range after.runs {
			if n := after.runs[i].Load(); n != 1 {
				t.Errorf("chunk %d of the next region ran %d times", i, n)
			}
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
