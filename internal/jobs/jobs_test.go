package jobs_test

import (
	"testing"

	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// laned is a device with lanes.
type laned struct{ mat.Device }

func (d laned) Lane() (mat.Device, error) { return d, nil }

// TestMost: jobs on the CPU want a thread each, those on lanes of a GPU do not.
func TestMost(t *testing.T) {
	if got, want := jobs.Most(), mat.Threads(); got != want {
		t.Errorf("%d jobs on %d threads", got, want)
	}
	mat.Use(laned{mattest.Opaque})
	defer mat.Use(mat.CPU)
	if got := jobs.Most(); got < 1000 {
		t.Errorf("%d jobs on lanes", got)
	}
}

// TestDivide: the jobs that are not first have a thread each, the first has the others and never none.
func TestDivide(t *testing.T) {
	before := mat.Threads()
	defer mat.SetThreads(before)
	mat.SetThreads(4)
	for n, want := range map[int]int{1: 4, 3: 2, 4: 1, 9: 1} {
		undo := jobs.Divide(n)
		if got := mat.Threads(); got != want {
			t.Errorf("%d jobs on 4 threads: %d are left to the first, want %d", n, got, want)
		}
		if undo(); mat.Threads() != 4 {
			t.Errorf("%d threads afterwards, want 4", mat.Threads())
		}
	}
}
