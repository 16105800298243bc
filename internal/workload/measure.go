package workload

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/kernel"
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

// Limits are the measured maxima of the machine on all threads.
type Limits struct {
	Peak   float64 `json:"peak_gflops"` // multiply-adds of float32, two operations each, 10⁹ a second
	Memory float64 `json:"memory_gbs"`  // sequential reads of 512 MiB, 10⁹ bytes a second
	Cache  float64 `json:"cache_gbs"`   // the same of what a second-level cache holds
	One    float64 `json:"one_gflops"`  // Peak of one thread
}

// near is the number of bytes per thread that are assumed to be in its second-level cache.
const near = 1 << 20

// Machine measures the limits on the threads in use, in about d each.
func Machine(d time.Duration) Limits {
	n := mat.Threads()
	return Limits{
		Peak:   kernel.PeakFMA(n, d),
		Memory: kernel.ReadBandwidth(n, 512<<20, d) / 1e9,
		Cache:  kernel.ReadBandwidth(n, n*near/2, d) / 1e9,
		One:    kernel.PeakFMA(1, d),
	}
}

// Operation is the cost of the operations of one name and shape in a batch. Its JSON keys are stable.
type Operation struct {
	Op      string  `json:"op"`
	Shape   string  `json:"shape"`
	Calls   int     `json:"calls"`
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"gflops"`  // 10⁹ operations a second
	Bytes   float64 `json:"gbs"`     // 10⁹ bytes a second read and written, gathered rows as often as they are
	Share   float64 `json:"share"`   // of the limit that it is nearest to
	Limit   string  `json:"limit"`   // which one: peak, memory or cache
	Faster  float64 `json:"speedup"` // seconds on one thread divided by seconds on all, 0 if there is one
}

// Profile says where the time of a batch goes, on the threads of its Limits.
type Profile struct {
	Workload string  `json:"workload"`
	Threads  int     `json:"threads"`
	Seconds  float64 `json:"seconds"` // of the operations below; for a path model, of one query
	Limits
	Operations []Operation `json:"operations"` // the longest first
}

// Explain builds the workload and measures its operations on all threads and on one, against what the machine can do.
func Explain(id ID, l Limits, p Plan) Profile {
	w, n := New(id), mat.Threads()
	w.Step()
	all := w.costs(cmp.Or(p.Epochs, 5))
	var one []ad.Cost
	if n > 1 {
		mat.SetThreads(1)
		one = w.costs(1)
		mat.SetThreads(n)
	}
	r := Profile{Workload: id.String(), Threads: n, Limits: l}
	for i, c := range all {
		o := l.compare(c, n)
		if one != nil {
			o.Faster = one[i].Time.Seconds() / c.Time.Seconds()
		}
		r.Seconds += o.Seconds
		r.Operations = append(r.Operations, o)
	}
	slices.SortStableFunc(r.Operations, func(a, b Operation) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return r
}

// compare is one operation next to the limits of n threads.
func (l Limits) compare(c ad.Cost, n int) Operation {
	s := max(c.Time.Seconds(), 1e-9)
	o := Operation{Op: c.Op, Shape: c.Shape, Calls: c.Calls, Seconds: s, Flops: c.Flops / s / 1e9,
		Bytes: c.Bytes / s / 1e9}
	o.Limit, o.Share = "memory", o.Bytes/l.Memory
	if c.Room <= n*near {
		o.Limit, o.Share = "cache", o.Bytes/l.Cache
	}
	if share := o.Flops / l.Peak; share > o.Share {
		o.Limit, o.Share = "peak", share
	}
	return o
}

// costs returns the operations of a batch with the shortest time of each in some rounds; Adam is the last of them.
func (w *Workload) costs(rounds int) []ad.Cost {
	best := w.profile()
	for range rounds - 1 {
		for i, c := range w.profile() {
			best[i].Time = min(best[i].Time, c.Time)
		}
	}
	return best
}

func (w *Workload) profile() []ad.Cost {
	if w.trained != nil {
		costs, err := w.trained.profile()
		must(err)
		return costs
	}
	costs, err := w.prog.Profile()
	must(err)
	start := time.Now()
	w.update()
	adam := ad.Cost{Op: "adam", Calls: len(w.params), Time: time.Since(start)}
	numbers := 0
	for _, p := range w.params {
		adam.Bytes += 7 * float64(p.Value().Bytes()) // w, m and v are read and written
		adam.Room += 4 * p.Value().Bytes()
		adam.Flops += 12 * float64(p.Value().Len())
		numbers += p.Value().Len()
	}
	adam.Shape = fmt.Sprint(numbers)
	return append(costs, adam)
}
