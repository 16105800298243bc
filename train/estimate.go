package train

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// Estimate is what training will need, found without training: networks are built and thrown away again.
type Estimate struct {
	Weights int      // numbers that are trained
	Memory  []Memory // that of the config first; Others adds those of the other adjoints
	Epoch   float64  // seconds, with the evaluation's share of them; 0 where there is nothing to train
	Epochs  int      // of a run, unless it stops early
	Runs    int

	Warnings []string // what is odd about the data, one sentence each

	config  config.Config
	data    *dataset.Dataset
	options EstimateOptions
	before  int // bytes on the heap at first
}

// Memory is what training with one adjoint holds: graph and features on the device, weights with what the optimiser remembers of
// them, and all that an epoch works in. The data set itself, and what a Go program needs anyway, are not in it.
type Memory struct {
	Adjoint string
	Bytes   int
	// Residual is how far the untrained descent ends from its fixed point, relative to H, where Adjoint is implicit; Far says that
	// this is too far: such training fails in its first epoch.
	Residual float64
	Far      bool
}

// Seconds is how long all runs take if none stops early.
func (e *Estimate) Seconds() float64 { return e.Epoch * float64(e.Epochs) * float64(e.Runs) }

// EstimateOptions say how much an estimate may take. The zero value is the default.
type EstimateOptions struct {
	Energies bool          // estimate with Options.Energies
	Time     time.Duration // spent on epochs that are timed, at least three and at most a hundred; 0 means a second
}

// NewEstimate says what Run would need for c on d.
//
// Overview: memory is what the heap grows by when a network is built, compiled and passed through once, which also allocates what is
// made on the first pass; that is measured, not computed, so it counts everything. Seconds are the mean of some epochs, the first,
// which computes what stays the same, not counted.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, o EstimateOptions) (*Estimate, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	e := &Estimate{Runs: c.Train.Repeat, config: c, data: d, options: o, before: HeapInUse()}
	name := c.Model.Adjoint
	if c.Energy == nil {
		name = "" // a baseline has no descent
	}
	if err := e.measure(name); err != nil {
		return nil, err
	}
	if !e.Memory[0].Far {
		e.Epoch, err = e.time(ctx)
	}
	return e, err
}

// Others adds the memory of the adjoints that the config does not use. A baseline has none.
func (e *Estimate) Others(ctx context.Context) error {
	for _, name := range adjoints {
		if e.config.Energy == nil || name == e.config.Model.Adjoint {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.measure(name); err != nil {
			return err
		}
	}
	return nil
}

// measure adds the memory of one adjoint, and takes note of the network. What the graph keeps for the next network counts for each.
func (e *Estimate) measure(name string) error {
	c := e.config
	if name != "" {
		c.Model.Adjoint = name
	}
	task, err := Build(c, e.data, Trials(c, e.data)[0])
	if err != nil {
		return err
	}
	stats := adjoint.Stats{}
	implicit := name == "implicit"
	if implicit {
		task.Model.Adjoint = probe(&stats)
	}
	l, err := newLoop(task, e.options.Energies)
	if err != nil {
		return err
	}
	if err := l.try(implicit); err != nil {
		return err
	}
	e.Memory = append(e.Memory, Memory{Adjoint: name, Bytes: max(0, HeapInUse()-e.before), Residual: stats.Residual,
		Far: implicit && !adjoint.Implicit{}.Near(stats.Residual)})
	e.Epochs, e.Warnings, e.Weights = l.epochs(), task.Warnings, 0
	for _, p := range task.Network.Params() {
		e.Weights += p.Shape().Len()
	}
	return nil
}

// probe is an implicit adjoint that goes through with a descent that has not converged, so that its memory can be measured.
func probe(s *adjoint.Stats) adjoint.Implicit {
	return adjoint.Implicit{Tolerance: 1e300, MaxIter: 1, Stats: s}
}

// try runs every program once. What a probe has to say about convergence is no error.
func (l *loop) try(probing bool) error {
	if l.pass != nil {
		var bad *adjoint.NotConverged
		if err := l.step(); err != nil && !(probing && errors.As(err, &bad)) {
			return err
		}
	}
	_, err := l.evaluate()
	return err
}

// time is the time of an epoch in seconds, the evaluation's share included.
func (e *Estimate) time(ctx context.Context) (float64, error) {
	task, err := Build(e.config, e.data, Trials(e.config, e.data)[0])
	if err != nil {
		return 0, err
	}
	l, err := newLoop(task, e.options.Energies)
	if err != nil || l.pass == nil {
		return 0, err
	}
	limit := e.options.Time
	if limit <= 0 {
		limit = time.Second
	}
	var steps, looks []float64
	for begin := time.Now(); len(steps) < 3 || len(steps) < 100 && time.Since(begin) < limit; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at := time.Now()
		if err := l.step(); err != nil {
			return 0, err
		}
		between := time.Now()
		if _, err := l.evaluate(); err != nil {
			return 0, err
		}
		steps, looks = append(steps, between.Sub(at).Seconds()), append(looks, time.Since(between).Seconds())
	}
	return metric.Mean(steps[1:]) + metric.Mean(looks[1:])/float64(l.task.Config.Train.Every), nil
}

// HeapInUse is the number of bytes on the heap that are in use, once all garbage is collected.
func HeapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers of the first let go
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
