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
	Memory  []Memory // that of the config first, then those of the other adjoints; a baseline has one
	Epoch   float64  // seconds, with the evaluation's share of them; 0 where there is nothing to train
	Epochs  int      // of a run, unless it stops early
	Runs    int

	Warnings []string // what is odd about the data, one sentence each
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
// made on the first pass; that is measured, not computed, so it counts everything. Seconds are the mean of some epochs of the
// config's own adjoint, the first, which computes what stays the same, not counted.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, o EstimateOptions) (*Estimate, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	e := &Estimate{Runs: c.Train.Repeat}
	before := live()
	for _, name := range adjointsOf(c) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := e.memory(before, c, d, o, name)
		if err != nil {
			return nil, err
		}
		e.Memory = append(e.Memory, m)
	}
	if !e.Memory[0].Far {
		e.Epoch, err = epochTime(ctx, c, d, o)
	}
	return e, err
}

// adjointsOf are the adjoints to look at, that of c first; a baseline, which has no descent, has one without a name.
func adjointsOf(c config.Config) []string {
	if c.Energy == nil {
		return []string{""}
	}
	list := []string{c.Model.Adjoint}
	for _, name := range adjoints {
		if name != c.Model.Adjoint {
			list = append(list, name)
		}
	}
	return list
}

// memory measures one adjoint against what the heap held before, and takes note of the network. What the graph of d keeps for
// the next network counts for each of them.
func (e *Estimate) memory(before int, c config.Config, d *dataset.Dataset, o EstimateOptions, name string) (Memory, error) {
	if name != "" {
		c.Model.Adjoint = name
	}
	task, err := Build(c, d, Trials(c, d)[0])
	if err != nil {
		return Memory{}, err
	}
	stats := adjoint.Stats{}
	implicit := name == "implicit"
	if implicit {
		task.Model.Adjoint = probe(&stats)
	}
	l, err := newLoop(task, o.Energies)
	if err != nil {
		return Memory{}, err
	}
	if err := l.try(implicit); err != nil {
		return Memory{}, err
	}
	m := Memory{Adjoint: name, Bytes: max(0, live()-before), Residual: stats.Residual, Far: implicit && !adjoint.Implicit{}.Near(stats.Residual)}
	e.Epochs, e.Warnings, e.Weights = l.epochs(), task.Warnings, 0
	for _, p := range task.Network.Params() {
		e.Weights += p.Shape().Len()
	}
	return m, nil
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

// epochTime is the time of an epoch of c in seconds, the evaluation's share included.
func epochTime(ctx context.Context, c config.Config, d *dataset.Dataset, o EstimateOptions) (float64, error) {
	task, err := Build(c, d, Trials(c, d)[0])
	if err != nil {
		return 0, err
	}
	l, err := newLoop(task, o.Energies)
	if err != nil || l.pass == nil {
		return 0, err
	}
	limit := o.Time
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

// live is the number of bytes on the heap that are in use.
func live() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers of the first let go
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
