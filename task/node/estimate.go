package node

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/train"
)

// Estimate says what training will need; Others adds the memory of adjoints that the config does not use.
type Estimate struct {
	train.Estimate

	config  config.Config
	data    *dataset.Dataset
	options Options
	before  int // bytes on the heap at first
}

// NewEstimate says what Run would need for c on d; for limit see train.NewEstimate. If the untrained descent is too
// far from its fixed point for an implicit adjoint, the time of an epoch is 0.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, o Options, limit time.Duration) (*Estimate,
	error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	e := &Estimate{config: c, data: d, options: o}
	large, err := train.Foresee(c, func(c config.Config) (train.Job, error) { return jobOf(e.build(c)) })
	if err != nil {
		return nil, err
	}
	if large != nil {
		e.Estimate = *large
		return e, nil
	}
	e.before = jobs.InUse()
	if c.Energy != nil && c.Model.Adjoint == "implicit" {
		m, err := e.measure("implicit")
		if err != nil {
			return nil, err
		}
		if e.Memory = append(e.Memory, m); m.Far {
			return e, nil
		}
	}
	var task *Task
	whole, err := train.NewEstimate(ctx, c, func() (train.Job, error) {
		task, err = e.build(c)
		return jobOf(task, err)
	}, limit)
	if err != nil {
		return nil, err
	}
	if err := task.hearMore(whole); err != nil {
		return nil, err
	}
	if whole.Warnings = task.Warnings; c.Energy != nil { // a baseline has no descent
		whole.Memory[0].Adjoint = c.Model.Adjoint
	}
	if len(e.Memory) > 0 {
		whole.Memory = e.Memory
	}
	e.Estimate = *whole
	return e, nil
}

func (e *Estimate) build(c config.Config) (*Task, error) {
	return Build(c, e.data, Trials(c, e.data)[0], e.options)
}

// Others adds the memory of the adjoints that the config does not use. A baseline has none.
func (e *Estimate) Others(ctx context.Context) error {
	for _, name := range words("model.adjoint") {
		if e.Foreseen || e.config.Energy == nil || name == e.config.Model.Adjoint {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := e.measure(name)
		if err != nil {
			return err
		}
		e.Memory = append(e.Memory, m)
	}
	return nil
}

// measure returns the memory of one adjoint, after one pass and one evaluation; it takes note of the network. What
// the graph keeps for the next network counts for each.
func (e *Estimate) measure(name string) (train.Memory, error) {
	c := e.config
	c.Model.Adjoint = name
	task, err := e.build(c)
	if err != nil {
		return train.Memory{}, err
	}
	var stats []adjoint.Stats // of every level
	implicit := name == "implicit"
	if implicit {
		stats = make([]adjoint.Stats, len(task.Stack.Levels))
	}
	for i := range stats {
		task.Stack.Levels[i].Adjoint = adjoint.Implicit{Tolerance: 1e300, MaxIter: 1, Stats: &stats[i]}
	}
	l, err := try(c.Train, task, implicit)
	if err != nil {
		return train.Memory{}, err
	}
	e.Epochs, e.Runs, e.Warnings, e.Weights = l.Epochs(), max(1, c.Train.Repeat), task.Warnings, 0
	for _, p := range task.network.Params() {
		e.Weights += p.Shape().Len()
	}
	bytes := max(0, jobs.InUse()-e.before)
	runtime.KeepAlive(l)
	m := train.Memory{Adjoint: name, Bytes: bytes}
	for _, s := range stats {
		m.Residual = max(m.Residual, s.Residual)
	}
	m.Far = implicit && !adjoint.Implicit{}.Near(m.Residual)
	return m, nil
}

// try returns a loop whose programs have all run once. If probing, it ignores the error of an implicit adjoint that
// proceeds although the descent has not converged.
func try(c config.Train, t *Task, probing bool) (*train.Loop, error) {
	l, err := train.NewLoop(c, t.Job())
	if err != nil {
		return nil, err
	}
	if l.Epochs() > 0 {
		var bad *adjoint.NotConverged
		if err := l.Step(); err != nil && !(probing && errors.As(err, &bad)) {
			return nil, err
		}
	}
	_, err = l.Evaluate(context.Background())
	return l, err
}

// Chosen: the closed form is computed along with a run if that takes a few seconds: up to mostCompanionNodes nodes, and
// up to mostCompanionWork features times nodes and edges.
const (
	mostCompanionNodes = 100_000
	mostCompanionWork  = 100_000_000
)

// companion returns the metric of the closed form on the data and the split of c, to compare what c trains with: nil if
// c is the closed form, has several runs, or needs more than a few seconds for it, or if the data has no closed form.
// There is none either where memory is counted, with --memory and for folders of blocks: it takes several times the
// memory of the features, which may be more than training takes.
func companion(ctx context.Context, c config.Config, d *dataset.Dataset) *train.Closed {
	if file := catalogue.File(c.Data.Name); files.FixedMemory() > 0 || file != "" && ondisk.Is(file, true) {
		return nil
	}
	size := d.Graph.NumNodes() + d.Graph.NumEdges()
	if c.Recipe == "closed" || c.Train.Repeat > 1 || d.Labels.Class == nil || d.Settled.Energy != "" || d.Of > 0 ||
		d.Graph.NumNodes() > mostCompanionNodes || max(1, d.NumFeatures())*size > mostCompanionWork {
		return nil
	}
	own, err := (&config.Config{Recipe: "closed"}).Shipped("-")
	if err != nil {
		return nil
	}
	one := *own
	one.Train.Metric, one.Train.Seed, one.Train.Cost = c.Train.Metric, c.Train.Seed, c.Train.Cost
	one.Data = c.Data
	one.Data.Scale, one.Data.EdgeFeatures = own.Data.Scale, own.Data.EdgeFeatures
	r, err := CrossValidate(ctx, one, d, nil)
	if err != nil {
		return nil
	}
	return r.Closed
}
