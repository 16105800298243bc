package tune

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"
)

// ErrPruned is the error by which an objective says that a trial was ended early; Trial.Report returns it.
var ErrPruned = errors.New("the trial was worse than others and was pruned")

// Direction is which values are better.
type Direction int

// The directions.
const (
	Maximize Direction = iota
	Minimize
)

// better reports whether a is better than b. Every number is better than NaN.
func (d Direction) better(a, b float64) bool {
	switch {
	case math.IsNaN(a):
		return false
	case math.IsNaN(b):
		return true
	case d == Minimize:
		return a < b
	}
	return a > b
}

// State is the state of a trial.
type State string

// The states.
const (
	Running  State = "running"
	Complete State = "complete" // it has a value
	Pruned   State = "pruned"   // it was ended early
	Failed   State = "failed"   // it has an error
)

// Report is a value on the way.
type Report struct {
	Step  int     `json:"step"`
	Value float64 `json:"value"`
}

// Record holds what is known about a trial. The keys are stable.
type Record struct {
	Number  int       `json:"trial"` // from 0, in the order in which trials are started
	State   State     `json:"state"`
	Point   Point     `json:"point"`
	Value   float64   `json:"value"` // of the objective; of a pruned trial the last report; else NaN
	Reports []Report  `json:"reports,omitempty"`
	Error   string    `json:"error,omitempty"` // of a failed trial
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
}

// lastStep returns the largest step that was reported; −1 without reports.
func (r *Record) lastStep() int {
	step := -1
	for _, x := range r.Reports {
		step = max(step, x.Step)
	}
	return step
}

// last returns the report of the last step; NaN without reports.
func (r *Record) last() float64 {
	for _, x := range r.Reports {
		if x.Step == r.lastStep() {
			return x.Value
		}
	}
	return math.NaN()
}

// report keeps a value; of two at the same step the later one.
func (r *Record) report(step int, value float64) {
	i := slices.IndexFunc(r.Reports, func(x Report) bool { return x.Step == step })
	if i < 0 {
		r.Reports = append(r.Reports, Report{step, value})
	} else {
		r.Reports[i].Value = value
	}
}

// Trial is a point that is being tried.
type Trial struct {
	study  *run
	record *Record
}

// Number returns the number of the trial, from 0.
func (t *Trial) Number() int { return t.record.Number }

// Value returns the value of a key: a string, bool, int or float64; nil for a key that is not in the space.
func (t *Trial) Value(key string) any {
	i := t.study.Space.index(key)
	if i < 0 {
		return nil
	}
	return t.study.Space[i].Domain.Value(t.record.Point[i])
}

// Settings returns all values as key=value, as --set takes them.
func (t *Trial) Settings() []string { return t.study.Space.Settings(t.record.Point) }

// Report reports progress of the trial: value is its value if it ended after step, which counts from 0. The error is
// ErrPruned if the trial must end; the objective must return it.
func (t *Trial) Report(step int, value float64) error { return t.study.report(t, step, value) }

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
