package workload

import (
	"runtime"
	"slices"
	"time"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// Result is the cost of an epoch of a workload. For a knowledge graph, whose epochs have hundreds of equal batches,
// some batches are measured and scaled up. Its JSON keys are stable.
type Result struct {
	Workload string  `json:"workload"`
	Threads  int     `json:"threads"`
	Seconds  float64 `json:"seconds"`    // of an epoch: median over the measured ones
	Allocs   float64 `json:"allocs"`     // heap allocations per epoch
	Peak     uint64  `json:"peak_bytes"` // largest memory of the process since the workload was built, 0 if unknown
}

// Plan says how long to measure.
type Plan struct {
	// measured epochs, or batches of a knowledge graph; 0 means as many epochs as fit into Time, at least 3
	Epochs int
	Time   time.Duration // 0 means 2 s
}

// Measure builds the workload and measures its batches after three that warm up.
func Measure(id ID, p Plan) Result {
	host.ForgetPeak()
	w := New(id)
	w.Step()
	w.Step()
	seconds, allocs := batches(w, p)
	n := float64(w.Batches)
	return Result{id.String(), mat.Threads(), n * median(seconds), n * allocs, host.Peak()}
}

// batches returns the durations of single batches and the mean number of allocations in one.
func batches(w *Workload, p Plan) (seconds []float64, allocs float64) {
	if p.Time == 0 {
		p.Time = 2 * time.Second
	}
	const most = 1000
	seconds = make([]float64, 0, max(most, p.Epochs))
	runtime.GC() // also drops what threads that wait are kept in, which the next step makes again
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before) // goes on with a thread of the system more, where all others are busy
	w.Step()
	runtime.ReadMemStats(&before)
	for start := time.Now(); ; {
		t := time.Now()
		w.Step()
		seconds = append(seconds, time.Since(t).Seconds())
		n := len(seconds)
		if n == p.Epochs || p.Epochs == 0 && (n >= 3 && time.Since(start) > p.Time || n == most) {
			break
		}
	}
	runtime.ReadMemStats(&after)
	return seconds, float64(after.Mallocs-before.Mallocs) / float64(len(seconds))
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
