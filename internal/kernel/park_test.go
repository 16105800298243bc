package kernel

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// waitTask keeps every chunk busy for a while, so that all workers are wanted.
type waitTask struct{}

func (waitTask) do(int) {
	for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
		pause()
	}
}

// TestParkAllocatesNothing: workers fall asleep and wake without an allocation, with more threads than most machines
// have. Threads of the system, which the scheduler makes when it likes, do not count; nor do its records of waiting
// goroutines, which it makes at most once a worker and keeps. An allocation by every sleep would be hundreds.
func TestParkAllocatesNothing(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	defer SetThreads(0)
	before := servingAllocations(t)
	const threads = 16
	SetThreads(threads)
	for range 50 {
		parallel(64, waitTask{})
		time.Sleep(3 * spinFor)
	}
	if n := servingAllocations(t) - before; n >= threads {
		t.Errorf("%d allocations by %d workers that fell asleep 50 times, want less than one each", n, threads-1)
	}
}

// servingAllocations is how many objects were allocated by workers outside of regions, as far as they were recorded.
func servingAllocations(t *testing.T) (n int64) {
	runtime.GC() // twice: profiles lag behind
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 10000)
	count, ok := runtime.MemProfile(records, true)
	if !ok {
		t.Fatalf("%d records of allocations", count)
	}
	for _, r := range records[:count] {
		if s := callers(r.Stack()); strings.Contains(s, ".serve ") && !strings.Contains(s, ".claim ") {
			n += r.AllocObjects
		}
	}
	return n
}

// callers are the names of the functions of a stack, with a space behind each.
func callers(stack []uintptr) string {
	var names strings.Builder
	for frames := runtime.CallersFrames(stack); ; {
		f, more := frames.Next()
		names.WriteString(f.Function + " ")
		if !more {
			return names.String()
		}
	}
}
