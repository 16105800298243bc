package train

import (
	"context"
	"runtime"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/jobs"
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
