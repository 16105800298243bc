package path

import (
	"context"
	"math"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// TrainRefactor trains a Refactor on the graph of d and keeps the weights with the best MRR on d.Valid, or the last
// where there are no such facts.
func TrainRefactor(ctx context.Context, c RefactorConfig, d *dataset.Dataset, progress func(Event)) (*Refactor, error) {
	t, err := NewRefactorTraining(c, d)
	if err != nil {
		return nil, err
	}
	if err := through(ctx, t, progress); err != nil {
		return nil, err
	}
	return t.Finish(), nil
}

// RefactorTraining is TrainRefactor, an epoch at a time; see Training.
type RefactorTraining struct {
	Model *Refactor

	trainer *RefactorTrainer
	data    *dataset.Dataset
	adam    *adam
	kept    kept
	best    float64
	epoch   int
	start   time.Time
}

// NewRefactorTraining prepares a Refactor as c says to be trained on the graph of d.
func NewRefactorTraining(c RefactorConfig, d *dataset.Dataset) (*RefactorTraining, error) {
	r := NewRefactor(c, relationNames(d))
	t, err := NewRefactorTrainer(r, d.Graph)
	if err != nil {
		return nil, err
	}
	return &RefactorTraining{Model: r, trainer: t, data: d, adam: newAdam(r.Params()), kept: keep(r.Params()), best: math.NaN(), start: time.Now()}, nil
}

// Done reports whether all epochs were trained.
func (t *RefactorTraining) Done() bool { return t.epoch >= t.Model.Epochs }

// Batches is 1: an epoch is one step of Adam, on all facts.
func (t *RefactorTraining) Batches() int { return 1 }

// Step is an epoch without validation. It returns the loss.
func (t *RefactorTraining) Step() (float64, error) {
	if err := t.trainer.Batch(t.epoch+1, 0); err != nil {
		return 0, err
	}
	t.adam.step(t.trainer.Grads(), t.Model.Rate)
	t.epoch++
	return float64(t.trainer.Loss().Item()), nil
}

// Epoch is a Step, and at the end of every time between two resets a validation. Where ctx ends first the error is
// its error.
func (t *RefactorTraining) Epoch(ctx context.Context) (Event, error) {
	if err := ctx.Err(); err != nil {
		return Event{}, err
	}
	loss, err := t.Step()
	if err != nil {
		return Event{}, err
	}
	e := Event{Epoch: t.epoch, Epochs: t.Model.Epochs, Loss: loss, Valid: math.NaN()}
	if t.epoch%t.Model.Reset == 0 || t.epoch == t.Model.Epochs {
		if err := t.measure(&e); err != nil {
			return Event{}, err
		}
	}
	e.Best, e.Elapsed = t.best, time.Since(t.start)
	return e, nil
}

// measure ranks the validation facts and keeps the weights where they are the best so far.
func (t *RefactorTraining) measure(e *Event) error {
	if len(t.data.Valid) > 0 {
		r, err := t.Model.Evaluate(context.Background(), t.data, t.data.Valid, metric.Candidates{}) // short, and an epoch ends with it
		if err != nil {
			return err
		}
		e.Valid = metric.MRR(metric.Rankings(r), metric.Pessimistic)
	}
	if !(e.Valid <= t.best) {
		t.best = e.Valid
		t.kept.take(t.Model.Params())
	}
	return nil
}

// Glance ranks at most k of the validation facts; see Training.
func (t *RefactorTraining) Glance(ctx context.Context, k int) (ranked, of int, err error) {
	of = len(t.data.Valid)
	ranked = min(k, of)
	_, err = t.Model.Evaluate(ctx, t.data, t.data.Valid[:ranked], metric.Candidates{})
	return ranked, of, err
}

// Finish is the model with the weights of the best epoch.
func (t *RefactorTraining) Finish() *Refactor {
	t.kept.restore(t.Model.Params())
	return t.Model
}

// State is all that changes while it trains; see Training.
func (t *RefactorTraining) State() map[string]any {
	s := map[string]any{"epoch": &t.epoch, "look.best": &t.best, "states": t.trainer.on.states.Value()}
	t.adam.changing(s, t.kept)
	return s
}
