package tune

import (
	"cmp"
	"math"
	"slices"
)

// Pruner ends trials that go badly.
type Pruner interface {
	// Prune reports whether t, which has just reported, is to end. Trials are all trials of the study.
	Prune(d Direction, trials []*Record, t *Record) bool
}

// Median ends a trial whose best report so far is worse than the median of what complete trials reported at the same
// step. It is Optuna's rule.
type Median struct {
	Startup int // complete trials before any is ended; 0 means 5
	Warmup  int // first steps of a trial in which it is never ended
}

var _ Pruner = Median{}

// Prune looks at the last report of t. NaN says nothing, and a trial that reported nothing else is ended.
func (m Median) Prune(d Direction, trials []*Record, t *Record) bool {
	var complete []*Record
	for _, other := range trials {
		if other.State == Complete {
			complete = append(complete, other)
		}
	}
	if len(complete) < cmp.Or(m.Startup, 5) || len(t.Reports) == 0 || t.lastStep() < m.Warmup {
		return false
	}
	best := math.NaN()
	for _, r := range t.Reports {
		if d.better(r.Value, best) {
			best = r.Value
		}
	}
	if math.IsNaN(best) {
		return true
	}
	return d.better(median(complete, t.lastStep()), best)
}

// median returns the median of what trials reported at a step; NaN if none did.
func median(trials []*Record, step int) float64 {
	var values []float64
	for _, t := range trials {
		for _, r := range t.Reports {
			if r.Step == step && !math.IsNaN(r.Value) {
				values = append(values, r.Value)
			}
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
