package train

import (
	"context"
	"io"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Trainer is a model while it is trained: it computes losses and gradients, and the loop does the rest.
type Trainer interface {
	// Params returns the trained parameters. Their order is fixed and their names are different.
	Params() []*ad.Param
	// State returns what else changes in training, such as running statistics: checkpoints hold it, and it is copied
	// with the best weights.
	State() []*ad.Param
	// Batches returns how many batches an epoch has.
	Batches() int
	// Batch computes loss and gradients of batch i = 0, 1, … of epoch 1, 2, …. Everything random is a function of the
	// seed, the epoch and i: a resumed run may start anywhere.
	Batch(epoch, i int) error
	// Loss returns the loss of the last Batch, 1×1.
	Loss() *mat.Dense
	// Grads returns the gradients of the loss in the order of Params, until the next Batch.
	Grads() []*mat.Dense
}

// Partial is a Trainer whose batches read few rows of the first parameter.
type Partial interface {
	// Rows returns the rows that the first of Grads is about; nil for all.
	Rows() *mat.Index
}

// Job is a model that can be trained, measured and kept: one trial of a config.
type Job interface {
	Trainer
	// Metric returns the name of what Measure measures.
	Metric() string
	// Measure evaluates the current weights.
	Measure(context.Context) (Scores, error)
	// Finish is called once, when the weights of the best epoch are in place, and returns the validation and the test
	// metric that the result reports.
	Finish(ctx context.Context, best Record) (valid, test float64, err error)
	// Write writes model.safetensors: a function of config and data, with no trace of when, where and on how many
	// threads.
	Write(w io.Writer, epoch int) error
	// WritePredictions writes predictions.csv, after Finish.
	WritePredictions(io.Writer) error
	// Describe completes the result of all runs; this job is the best of them.
	Describe(*Result)
	// Card returns the job's part of the model card.
	Card(*Result) Card
}

// certified is a Job whose descents may have steps that become too long while it is trained.
type certified interface {
	// Certify returns a *descent.StepTooLong if that has happened. Training ends there, and the best epoch before is
	// the result. watched is false if it cannot happen.
	Certify() (watched bool, err error)
}

// Advising is a Job that knows what helps if numbers are not finite any more.
type Advising interface {
	Advice() string // as NotFinite.Advice
}

// Scores are the metric of the three parts of the data, and ℓ_low at H⁽⁰⁾ and at H⁽ᴸ⁾. What was not measured is NaN.
type Scores struct{ Train, Valid, Test, Start, End float64 }

// Trial holds what differs between the runs of a repeat.
type Trial struct {
	Seed  uint64
	Split int
}

// SeedTrials returns the runs that c asks for: run i has seed+i.
func SeedTrials(c config.Config) []Trial {
	list := make([]Trial, max(1, c.Train.Repeat))
	for i := range list {
		list[i].Seed = c.Train.Seed + uint64(i)
	}
	return list
}

// Boosting is a Job that may train without parameters: an epoch adds to its state what an optimiser does not change.
type Boosting interface{ Boosts() bool }

// Pass is ℓ_up of a batch with its derivatives: compiled once, and run for every batch without an allocation.
type Pass struct {
	Program *ad.Program
	Clock   *ad.Clock // of dropout

	values  []*mat.Dense // where the program leaves the loss, its derivatives, and what follows
	params  int
	updates *input.Updates
}

// NewPass writes down a loss, 1×1, and its derivatives to params. Dropout is drawn by seed. Passes that are given the
// same memory work in it in turn; nil means memory of its own.
func NewPass(memory *ad.Arena, seed uint64, params []*ad.Param,
	loss func(input.Context) (ad.Var, error)) (*Pass, error) {
	p := &Pass{Clock: &ad.Clock{Seed: seed}, params: len(params)}
	c := input.Training(p.Clock)
	p.updates = c.Updates
	var err error
	write := func([]ad.Var) []ad.Var {
		var y ad.Var
		if y, err = loss(c); err != nil {
			return nil
		}
		vars := make([]ad.Var, len(params))
		for i, w := range params {
			vars[i] = w.Var
		}
		return slices.Concat([]ad.Var{y}, ad.Grad(y, vars...), p.updates.Outputs())
	}
	var outputs []ad.Var
	if memory == nil {
		outputs = write(nil)
	} else if f := ad.NewFunc(memory, write); err == nil {
		outputs = f.Call()
	}
	if err != nil {
		return nil, err
	}
	p.Program = ad.Compile(outputs...)
	for _, v := range outputs {
		p.values = append(p.values, p.Program.Value(v))
	}
	return p, nil
}

// Run runs a batch of an epoch; tick, a number unique to the batch, seeds dropout. Running statistics are updated if
// the loss is finite. The error is a *NotFinite.
func (p *Pass) Run(epoch int, tick uint64) error {
	p.Clock.Epoch = tick
	if err := p.Program.Run(); err != nil {
		return &NotFinite{Epoch: epoch, What: "a step of the descent", Err: err}
	}
	if p.Loss().CheckFinite() == nil {
		p.updates.Apply(p.values[1+p.params:])
	}
	return nil
}

// Loss returns the loss of the last batch, 1×1; the next Run overwrites it.
func (p *Pass) Loss() *mat.Dense { return p.values[0] }

// Grads returns the derivatives of the loss, in the order of the parameters.
func (p *Pass) Grads() []*mat.Dense { return p.values[1 : 1+p.params] }
