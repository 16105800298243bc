package testkit

import (
	"os"
	"strconv"

	"github.com/bloomgml/bloom/mat"
)

// OneThread lets the tests of a package, and programs that they start, compute on one thread; BLOOM_THREADS
// says another number of threads. Packages are tested side by side, and threads that outnumber the cores wait for each
// other most of the time. Tests that compare numbers of threads set their own.
func OneThread() {
	const variable = "BLOOM_THREADS"
	threads, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		threads = 1
		os.Setenv(variable, "1")
	}
	mat.SetThreads(threads)
}
