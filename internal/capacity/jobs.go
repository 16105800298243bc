package capacity

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// MostJobs is how many jobs there may be at the same time on the default device: as many as it has threads, any number
// where each can have a lane.
func MostJobs() int {
	if _, lanes := mat.Default().(mat.Laned); lanes {
		return math.MaxInt
	}
	return mat.Threads()
}

// DivideThreads leaves a thread to each of n jobs but one, and is undone by what it returns. A parallel region that
// meets another one runs on its own thread alone: whichever job comes first so uses the threads that are left.
func DivideThreads(n int) (undo func()) {
	threads := mat.Threads()
	mat.SetThreads(max(1, threads-n+1))
	return func() { mat.SetThreads(threads) }
}
