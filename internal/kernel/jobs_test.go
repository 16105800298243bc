package kernel

import "testing"

// TestJobsMeet: once a kernel has run, as many threads as there are may run it inside a region of itself, and hand
// their arguments back, without an allocation.
func TestJobsMeet(t *testing.T) {
	defer SetThreads(0)
	for _, threads := range []int{1, 2, 8} {
		SetThreads(threads)
		var list jobs[countTask, *countTask]
		list.release(list.acquire())
		if len(list.free) <= threads {
			t.Errorf("%d threads: %d arguments are free after a first call, want one more", threads, len(list.free))
		}
		for len(list.free) > 0 {
			list.acquire()
		}
		list.acquire()
		if cap(list.free) < list.made {
			t.Errorf("%d threads: room for %d of %d arguments", threads, cap(list.free), list.made)
		}
	}
}
