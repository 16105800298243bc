package path

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// Training is a training under way: Train, an epoch at a time. It can stop and go on, in another process too, with
// the same bits as if it had not stopped; see State.
type Training struct {
	Model *Model

	trainer *Trainer
	data    *dataset.Dataset
	valid   *evaluator
	kept    kept    // the weights of the best epoch
	best    float64 // their MRR; NaN before the first validation
	epoch   int     // epochs that are done
	batch   int     // batches that are done of the epoch after
	sum     float64 // of their losses
	start   time.Time
}

// NewTraining prepares a model as c says to be trained on the graph of d.
func NewTraining(c Config, d *dataset.Dataset) (*Training, error) {
	m, err := New(c, relationNames(d))
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(m, d.Graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	valid, err := newEvaluator(m, d.Graph)
	if err != nil {
		return nil, err
	}
	return &Training{Model: m, trainer: t, data: d, valid: valid, kept: keep(m.params), best: math.NaN(), start: time.Now()}, nil
}

// Done reports whether all epochs were trained.
func (t *Training) Done() bool { return t.epoch >= t.Model.Epochs }

// Batches is how many steps an epoch has.
func (t *Training) Batches() int { return t.trainer.Batches() }

// Step trains on the next batch and returns its loss. Epoch does so for all batches of an epoch; whoever goes on
// beyond the last one measures what steps cost, and nothing else.
func (t *Training) Step() (float64, error) {
	loss, err := t.trainer.Step(t.epoch, t.batch%t.Batches())
	if err != nil {
		return 0, err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, fmt.Errorf("path: the loss of batch %d of epoch %d is %v: try a smaller rate than %v", t.batch, t.epoch+1, loss, t.Model.Rate)
	}
	t.batch++
	t.sum += loss
	return loss, nil
}

// Epoch trains to the end of the next epoch, and ranks the validation facts where that is due. Where ctx ends first
// the error is its error; a later call goes on with the epoch.
func (t *Training) Epoch(ctx context.Context) (Event, error) {
	for t.batch < t.Batches() {
		if err := ctx.Err(); err != nil {
			return Event{}, err
		}
		if _, err := t.Step(); err != nil {
			return Event{}, err
		}
	}
	e := Event{Epoch: t.epoch + 1, Epochs: t.Model.Epochs, Loss: t.sum / float64(t.batch), Valid: math.NaN()}
	if err := t.measure(ctx, &e); err != nil {
		return Event{}, err
	}
	t.epoch, t.batch, t.sum = e.Epoch, 0, 0
	e.Best, e.Elapsed = t.best, time.Since(t.start)
	return e, nil
}

// measure evaluates the weights, where that is due, and keeps them where they are the best so far.
func (t *Training) measure(ctx context.Context, e *Event) error {
	if len(t.data.Valid) == 0 {
		t.kept.take(t.Model.params)
		return nil
	}
	if e.Epoch%t.Model.Every != 0 && e.Epoch != e.Epochs {
		return nil
	}
	r, err := t.valid.evaluate(ctx, t.data.Valid, metric.Candidates{})
	if err != nil {
		return err
	}
	if e.Valid = metric.MRR(metric.Rankings(r), metric.Pessimistic); !(e.Valid <= t.best) {
		t.best = e.Valid
		t.kept.take(t.Model.params)
	}
	return nil
}

// Glance ranks at most k of the validation facts and keeps nothing: a measure of what a validation costs. It returns
// how many facts it has ranked, and how many a validation ranks.
func (t *Training) Glance(ctx context.Context, k int) (ranked, of int, err error) {
	of = len(t.data.Valid)
	ranked = min(k, of)
	_, err = t.valid.evaluate(ctx, t.data.Valid[:ranked], metric.Candidates{})
	return ranked, of, err
}

// Finish is the model with the weights of the best epoch, or the last ones where there are no validation facts.
func (t *Training) Finish() *Model {
	t.kept.restore(t.Model.params)
	return t.Model
}

// State is all that changes while it trains, by name: a *mat.Dense, an *int or a *float64 each, the training's own.
// What reads them all can write them into another training of the same config and data, which then is where this one
// was. Everything random is a function of the seed and of how far it has come.
func (t *Training) State() map[string]any {
	s := map[string]any{"epoch": &t.epoch, "batch": &t.batch, "sum": &t.sum, "look.best": &t.best}
	t.trainer.adam.changing(s, t.kept)
	return s
}
