package jobs

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Most returns how many jobs may run at the same time on the default device: its number of threads, or any number
// if each job can have a lane.
func Most() int {
	if _, lanes := mat.Default().(mat.Laned); lanes {
		return math.MaxInt
	}
	return mat.Threads()
}

// Divide reserves a thread for each of n jobs but one; the returned function undoes that. A parallel region that
// meets another one runs on its own thread alone, so whichever job comes first uses the remaining threads.
func Divide(n int) (undo func()) {
	threads := mat.Threads()
	mat.SetThreads(max(1, threads-n+1))
	return func() { mat.SetThreads(threads) }
}
