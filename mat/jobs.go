package mat

import (
	"math"
)

// MostJobs returns how many jobs may run at the same time on the default device: its number of threads, or any number
// if each job can have a lane.
func MostJobs() int {
	if _, lanes := Default().(Laned); lanes {
		return math.MaxInt
	}
	return Threads()
}

// DivideThreads reserves a thread for each of n jobs but one; the returned function undoes that. A parallel region that
// meets another one runs on its own thread alone, so whichever job comes first uses the remaining threads.
func DivideThreads(n int) (undo func()) {
	threads := Threads()
	SetThreads(max(1, threads-n+1))
	return func() { SetThreads(threads) }
}
