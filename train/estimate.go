package train

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Estimate says what training will need, found without training: a job is built and thrown away. The JSON keys are
// stable.
type Estimate struct {
	Weights  int      `json:"weights"`           // numbers that are trained
	Memory   []Memory `json:"memory"`            // what the config asks for first
	Epoch    float64  `json:"seconds_per_epoch"` // with the evaluation's share; 0 if there is nothing to train
	Epochs   int      `json:"epochs"`            // of a run, unless it stops early
	Runs     int      `json:"runs"`
	Warnings []string `json:"warnings,omitempty"` // what is odd about the data, one sentence each
	Foreseen bool     `json:"foreseen,omitempty"` // extrapolated from smaller jobs, as by Foresee; nothing was timed

	// Of data that stays on the disk: what is done, the bytes that are read and written, and the seconds of what is
	// computed once, before the first epoch.
	Way    string  `json:"way,omitempty"`
	Disk   int64   `json:"disk_bytes,omitempty"`
	Before float64 `json:"settle_seconds,omitempty"`
}

// Memory is what training holds: graph and features on the device, weights with their optimiser state, and the
// working memory of an epoch. It excludes the data set itself and the baseline of a Go program. It is measured and
// therefore counts everything except what a batch allocates and frees.
type Memory struct {
	Adjoint string `json:"adjoint,omitempty"` // how the descent is differentiated; empty without one
	Bytes   int    `json:"bytes"`
	// Residual is how far the untrained descent ends from its fixed point, relative to H, where Adjoint is implicit;
	// Far says that this is too far: such training fails in its first epoch.
	Residual float64 `json:"residual,omitempty"`
	Far      bool    `json:"far,omitempty"`
}

// Seconds returns how long all runs take if none stops early.
func (e *Estimate) Seconds() float64 { return e.Before + e.Epoch*float64(e.Epochs)*float64(e.Runs) }

// Sampled is a Job whose evaluations may take long; an estimate evaluates a part and extrapolates.
type Sampled interface {
	// Glance measures k of the facts that Measure measures, rounded up to what is measured at once, and keeps
	// nothing. It returns how many it has measured, and how many there are.
	Glance(ctx context.Context, k int) (measured, of int, err error)
}

// Renewed is a Job whose first batch in every Renewed() epochs costs more than the others.
type Renewed interface{ Renewed() int }

// NewEstimate says what Run would need to train the job of build as c says. It spends limit on timing batches, and
// the same on evaluations; 0 means a second.
//
// Overview: memory is the growth of the heap when a job is built, trained on some batches and measured, which
// includes what the first pass allocates. Seconds are the mean of at least three and at most a hundred batches, not
// counting the first, which computes what stays the same.
func NewEstimate(ctx context.Context, c config.Config, build func() (Job, error), limit time.Duration) (*Estimate,
	error) {
	if limit <= 0 {
		limit = time.Second
	}
	before := jobs.InUse()
	job, err := build()
	if err != nil {
		return nil, err
	}
	l, err := NewLoop(c.Train, job)
	if err != nil {
		return nil, err
	}
	p := probe{l, ctx, limit}
	e := &Estimate{Epochs: l.Epochs(), Runs: max(1, c.Train.Repeat)}
	for _, w := range job.Params() {
		e.Weights += w.Shape().Len()
	}
	if e.Epoch, err = p.epoch(); err != nil {
		return nil, err
	}
	e.Memory = []Memory{{Bytes: max(0, jobs.InUse()-before)}}
	runtime.KeepAlive(l)
	return e, nil
}

// probe times parts of a training.
type probe struct {
	*Loop
	ctx   context.Context
	limit time.Duration // for batches, and for evaluations
}

// epoch returns the seconds of an epoch; 0 if there is nothing to train, in which case it still makes one evaluation.
func (p probe) epoch() (float64, error) {
	if p.Epochs() == 0 {
		_, err := p.Evaluate(p.ctx)
		return 0, err
	}
	steps, err := p.timed(p.Step)
	if err != nil {
		return 0, err
	}
	look, err := p.evaluation()
	if err != nil {
		return 0, err
	}
	later := metric.Mean(steps[1:])
	seconds := later*float64(p.job.Batches()) + look/float64(p.config.Every)
	if r, ok := p.job.(Renewed); ok && r.Renewed() > 0 {
		seconds += max(0, steps[0]-later) / float64(r.Renewed())
	}
	return seconds, nil
}

// timed returns the seconds of repeated calls of f: at least three, the first of which may have to prepare something.
func (p probe) timed(f func() error) (list []float64, err error) {
	for start := time.Now(); len(list) < 3 || len(list) < 100 && time.Since(start) < p.limit; {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		at := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		list = append(list, time.Since(at).Seconds())
	}
	return list, nil
}

// evaluation returns the seconds of one: the mean of some, the first not counted, or of a Sampled job the line
// through what few and what more facts take.
func (p probe) evaluation() (float64, error) {
	s, ok := p.job.(Sampled)
	if !ok {
		list, err := p.timed(func() error { _, err := p.Evaluate(p.ctx); return err })
		if err != nil {
			return 0, err
		}
		return metric.Mean(list[1:]), nil
	}
	var facts, seconds []float64
	of := 0
	for start, k := time.Now(), 1; len(facts) < 2 || time.Since(start) < p.limit; {
		at := time.Now()
		measured, all, err := s.Glance(p.ctx, k)
		if err != nil || all == 0 {
			return 0, err
		}
		seconds = append(seconds, time.Since(at).Seconds())
		of, k, facts = all, 4*measured, append(facts, float64(measured))
		if measured == all {
			break
		}
	}
	last := len(facts) - 1
	if int(facts[last]) == of {
		return seconds[last], nil
	}
	from := min(1, last-1) // the first glance may have to prepare something
	slope := max(0, seconds[last]-seconds[from]) / (facts[last] - facts[from])
	return seconds[last] + slope*(float64(of)-facts[last]), nil
}

// The widths and the depths that Foresee builds, the smallest first; what is deeper than maxTried is not tried out, as
// that would take too long; and how many numbers training keeps of a weight: itself, its gradient, two moments and the
// best so far.
var (
	foreseenWidths = [3]int{64, 128, 256}
	foreseenDepths = [2]int{32, 64}
)

const (
	maxTried     = 512
	keptOfWeight = 5
)

// Foresee returns the estimate of a job that is too wide or too deep to simply build, and does not fit into the free
// memory or is too deep to try out; nil for any other job. It allocates nothing of the job's size.
//
// Overview: the number w(d) of weights is a polynomial of degree 2 in the width d (model.hidden), known from three
// narrower jobs. Training holds 5·w(d) numbers plus a linear function of d, known from two of them. For a given width
// both are linear in the depth, the number of steps or of layers (energy.steps, model.layers), known from two flatter
// jobs; with a checkpointed adjoint that line is an upper bound.
func Foresee(c config.Config, build func(config.Config) (Job, error)) (*Estimate, error) {
	deep := *depth(&c)
	if c.Model.Hidden <= foreseenWidths[2] && deep <= foreseenDepths[1] {
		return nil, nil
	}
	f := &forecast{Estimate: Estimate{Runs: max(1, c.Train.Repeat), Foreseen: true}, build: build}
	size, err := f.size(c)
	var bad *BadSetting
	if errors.As(err, &bad) {
		return nil, nil // such a width has a rule of its own
	}
	if err != nil {
		return nil, err
	}
	f.Weights = int(size.weights + 0.5)
	bytes := size.rest + size.weights*weightBytes
	f.Memory = []Memory{{Bytes: int(bytes)}}
	free := jobs.Free()
	switch {
	case free > 0 && bytes >= 0.75*float64(free):
		f.Warnings = []string{fmt.Sprintf("training would take %.1f GB and %.1f GB are free: the figures are "+
			"extrapolated from smaller models, and nothing was timed", bytes/1e9, float64(free)/1e9)}
	case deep > maxTried:
		f.Warnings = []string{fmt.Sprintf("%d steps or layers are too many to try: the figures are extrapolated from "+
			"fewer, and nothing was timed", deep)}
	default:
		return nil, nil
	}
	return &f.Estimate, nil
}

// weightBytes is how many bytes training holds per weight.
const weightBytes = keptOfWeight * float64(unsafe.Sizeof(mat.Real(0)))

// forecast is an estimate on its way.
type forecast struct {
	Estimate
	build func(config.Config) (Job, error)
}

// jobSize holds the number of weights of a job, and the bytes that training holds besides them.
type jobSize struct{ weights, rest float64 }

// depth points to the number of steps of the descent of c, after giving c its own copy of the energy, or to the
// number of layers without an energy.
func depth(c *config.Config) *int {
	if c.Energy == nil {
		return &c.Model.Layers
	}
	energy := *c.Energy
	c.Energy = &energy
	return &energy.L
}

// size returns the size of a job, extrapolated from flatter and narrower ones if it is deep or wide.
func (f *forecast) size(c config.Config) (jobSize, error) {
	at := depth(&c)
	deep, wide := *at, c.Model.Hidden
	depths, widths := tried(foreseenDepths[:], deep), tried(foreseenWidths[:], wide)
	var weights, rest []float64 // by depth
	for _, *at = range depths {
		var w, r []float64 // by width
		for _, c.Model.Hidden = range widths {
			size, err := f.small(c)
			if err != nil {
				return jobSize{}, err
			}
			w, r = append(w, size.weights), append(r, size.rest)
		}
		weights, rest = append(weights, polynomial(widths, w, wide)), append(rest, growing(widths, r, wide))
	}
	return jobSize{growing(depths, weights, deep), growing(depths, rest, deep)}, nil
}

// tried returns the sizes to build instead of n, or n itself if it is small.
func tried(sizes []int, n int) []int {
	if n <= slices.Max(sizes) {
		return []int{n}
	}
	return sizes
}

// growing returns the value at n of the line through the last two points; the line does not fall.
func growing(x []int, y []float64, n int) float64 {
	last := len(x) - 1
	if last == 0 {
		return y[0]
	}
	return y[last] + max(0, y[last]-y[last-1])/float64(x[last]-x[last-1])*float64(n-x[last])
}

// polynomial returns the value at n of the polynomial through all points.
func polynomial(x []int, y []float64, n int) float64 {
	sum := 0.0
	for i, term := range y {
		for j := range x {
			if j != i {
				term *= float64(n-x[j]) / float64(x[i]-x[j])
			}
		}
		sum += term
	}
	return sum
}

// small returns the size of a job after its first batch and its first evaluation. An implicit adjoint that wants more
// steps has allocated all the same.
func (f *forecast) small(c config.Config) (jobSize, error) {
	before := jobs.InUse()
	job, err := f.build(c)
	if err != nil {
		return jobSize{}, err
	}
	l, err := NewLoop(c.Train, job)
	if err != nil {
		return jobSize{}, err
	}
	f.Epochs = l.Epochs()
	var far *adjoint.NotConverged
	if err := l.once(); err != nil && !errors.As(err, &far) {
		return jobSize{}, err
	}
	weights := 0
	for _, w := range job.Params() {
		weights += w.Shape().Len()
	}
	bytes := jobs.InUse() - before
	runtime.KeepAlive(l)
	return jobSize{float64(weights), float64(bytes) - float64(weights)*weightBytes}, nil
}

// once trains on a batch, if there is something to train, and evaluates, for a Sampled job only some facts.
func (l *Loop) once() error {
	if l.Epochs() > 0 {
		if err := l.Step(); err != nil {
			return err
		}
	}
	if s, ok := l.job.(Sampled); ok {
		_, _, err := s.Glance(context.Background(), 1)
		return err
	}
	_, err := l.Evaluate(context.Background())
	return err
}
