package link

import (
	"context"
	"math"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/path"
	"github.com/bloomgml/bloom/run"
)

// training is a model while it is trained. What kg.Training says about its methods holds for all.
type training interface {
	Done() bool
	// epoch trains to the end of the next epoch. Where ctx ends first the error is its error, and a later call goes on.
	epoch(ctx context.Context) (run.Record, error)
	// finish is the model with the weights of the best epoch.
	finish() (model, error)
	// now is the model with the present weights.
	now() model
	// every is how many epochs lie between two validations; 0 for none.
	every() int
	// renewed is after how many epochs a step costs as much as the first one did; 0 for never.
	renewed() int

	Batches() int
	Step() (float64, error)
	Glance(ctx context.Context, k int) (ranked, of int, err error)
	State() map[string]any
	// resume goes on from what was written into State.
	resume()
}

var (
	_ training = embeddingTraining{}
	_ training = pathTraining{}
	_ training = refactorTraining{}
)

// newTraining prepares to train the model that c describes on d.
func newTraining(c config.Config, d *dataset.Dataset) (training, error) {
	switch config.FamilyOf(c.Recipe) {
	case config.Paths:
		p, err := Path(c)
		if err != nil {
			return nil, err
		}
		t, err := path.NewTraining(p, d)
		return pathTraining{t}, err
	case config.Refactor:
		t, err := path.NewRefactorTraining(refactor(c), d)
		return refactorTraining{t}, err
	}
	k, err := Embedding(c)
	if err != nil {
		return nil, err
	}
	t, err := kg.NewTraining(k, d)
	return embeddingTraining{t, d}, named(err)
}

// record is an epoch of a training that measures no more than this.
func record(epoch int, loss, valid float64) run.Record {
	none := math.NaN()
	return run.Record{Epoch: epoch, Loss: loss, Rate: none, Scores: run.Scores{Valid: valid, Train: none, Test: none, Start: none, End: none}}
}

// embeddingTraining trains H and E, or E alone.
type embeddingTraining struct {
	*kg.Training
	data *dataset.Dataset
}

func (t embeddingTraining) epoch(ctx context.Context) (run.Record, error) {
	p, err := t.Epoch(ctx)
	return record(p.Epoch, p.Loss, p.Valid), err
}

func (t embeddingTraining) finish() (model, error) {
	m, err := t.Finish()
	return embedding{m, t.data}, err
}

func (t embeddingTraining) now() model { return embedding{t.Model, t.data} }
func (t embeddingTraining) every() int { return t.Model.Config.Every }
func (t embeddingTraining) resume()    { t.Resume() }

// renewed is when false triples are drawn anew and the steps are compiled for them.
func (t embeddingTraining) renewed() int {
	if b := t.Model.Config.Bilevel; b != nil && b.Block == 0 {
		return b.Redraw
	}
	return 0
}

// pathTraining trains a model of paths.
type pathTraining struct{ *path.Training }

func (t pathTraining) epoch(ctx context.Context) (run.Record, error) {
	e, err := t.Epoch(ctx)
	return record(e.Epoch, e.Loss, e.Valid), err
}

func (t pathTraining) finish() (model, error) { return paths{t.Finish()}, nil }
func (t pathTraining) now() model             { return paths{t.Model} }
func (t pathTraining) every() int             { return t.Model.Every }
func (pathTraining) renewed() int             { return 0 }
func (pathTraining) resume()                  {}

// refactorTraining trains the RefactorGNN baseline.
type refactorTraining struct{ *path.RefactorTraining }

func (t refactorTraining) epoch(ctx context.Context) (run.Record, error) {
	e, err := t.Epoch(ctx)
	return record(e.Epoch, e.Loss, e.Valid), err
}

func (t refactorTraining) finish() (model, error) { return refactored{t.Finish()}, nil }
func (t refactorTraining) now() model             { return refactored{t.Model} }
func (t refactorTraining) every() int             { return t.Model.Reset }
func (refactorTraining) renewed() int             { return 0 }
func (refactorTraining) resume()                  {}
