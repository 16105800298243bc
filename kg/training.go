package kg

import (
	"context"
	"math"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/optim"
)

// Training is a training under way: Train, an epoch at a time. It can stop and go on, in another process too, with the
// same bits as if it had not stopped; see State.
type Training struct {
	Model *Model

	trainer Trainer
	opt     *optim.Optimizer
	watch   watch
	epoch   int     // epochs that are done
	batch   int     // batches that are done of the epoch after
	sum     float64 // of their losses
	start   time.Time
}

// NewTraining prepares to embed the training graph of d as c says.
func NewTraining(c Config, d *dataset.Dataset) (*Training, error) {
	t, err := NewTrainer(c, d.Graph)
	if err != nil {
		return nil, err
	}
	m := t.Model()
	c = m.Config
	m.Entities, m.Relations = d.IDs, d.Relations
	opt, err := optim.NewPartial(optim.Config{Rule: c.Optimizer.rule(), Rate: c.Rate, Schedule: c.Schedule.word()}, t.Params(), t.Rows())
	if err != nil {
		return nil, err
	}
	return &Training{Model: m, trainer: t, opt: opt, watch: newWatch(t, d), start: time.Now()}, nil
}

// Done reports whether there is nothing left to do: all epochs were trained, or none was better for too long.
func (t *Training) Done() bool {
	c := t.Model.Config
	return t.epoch >= c.Epochs || t.watch.tired(c.Patience)
}

// Batches is how many steps an epoch has.
func (t *Training) Batches() int { return t.trainer.Batches() }

// Step trains on the next batch and returns its loss. Epoch does so for all batches of an epoch; whoever goes on beyond the last one
// measures what steps cost, and nothing else.
func (t *Training) Step() (float64, error) {
	done, i := t.epoch+t.batch/t.Batches(), t.batch%t.Batches() // beyond the epoch where steps are measured
	if err := t.trainer.Batch(done+1, i); err != nil {
		return 0, err
	}
	if err := t.trainer.Loss().CheckFinite(); err != nil {
		return 0, &NotFinite{Epoch: done + 1, Batch: i, Err: err}
	}
	loss := float64(t.trainer.Loss().Item())
	t.opt.Step(t.trainer.Grads(), t.opt.RateAt(float64(done)+float64(i)/float64(t.Batches()), t.Model.Config.Epochs))
	t.batch++
	t.sum += loss
	return loss, nil
}

// Epoch trains to the end of the next epoch, and looks at the validation facts where that is due. Where ctx ends first the
// error is its error; a later call goes on with the epoch.
func (t *Training) Epoch(ctx context.Context) (Progress, error) {
	for t.batch < t.Batches() {
		if err := ctx.Err(); err != nil {
			return Progress{}, err
		}
		if _, err := t.Step(); err != nil {
			return Progress{}, err
		}
	}
	c := t.Model.Config
	p := Progress{Epoch: t.epoch + 1, Epochs: c.Epochs, Loss: t.sum / float64(t.batch), Valid: math.NaN()}
	t.epoch, t.batch, t.sum = p.Epoch, 0, 0
	if c.Every > 0 && (t.epoch%c.Every == 0 || t.epoch == c.Epochs) {
		var err error
		if p.Valid, err = t.watch.look(); err != nil {
			return Progress{}, err
		}
	}
	p.Best, p.Elapsed = t.watch.best, time.Since(t.start)
	return p, nil
}

// Glance does what a look at the validation facts does with some of them, k or as many more as are scored at once, and keeps nothing: a
// measure of what looks cost. It returns how many facts it has ranked, and how many a look ranks.
func (t *Training) Glance(_ context.Context, k int) (ranked, of int, err error) {
	of = len(t.watch.facts)
	if t.Model.Config.Every == 0 || of == 0 {
		return 0, 0, nil
	}
	at := max(1, blockOf(t.Model.H.Rows())/2) // two questions a fact
	ranked = min(of, (k+at-1)/at*at)
	_, err = t.watch.rank(ranked)
	return ranked, of, err
}

// Finish is the model with the weights of the best look, or the last ones where there was none.
func (t *Training) Finish() (*Model, error) { return t.Model, t.watch.restore() }

// State is all that changes while it trains, by name: a *mat.Dense, an *int or a *float64 each, the training's own. What
// reads them all can write them into another training of the same config and data, which after Resume is where this one was.
// Everything random is a function of the seed and of how far it has come.
func (t *Training) State() map[string]any {
	s := map[string]any{"epoch": &t.epoch, "batch": &t.batch, "sum": &t.sum, "look.best": &t.watch.best, "look.idle": &t.watch.idle}
	s["steps"] = &t.opt.Steps
	for name, m := range t.opt.Memory() {
		s[name] = m
	}
	for _, p := range append(t.trainer.Params(), t.trainer.State()...) {
		s["now/"+p.Name] = p.Value()
	}
	if t.watch.kept != nil {
		for name, m := range t.watch.kept.Memory() {
			s[name] = m
		}
	}
	return s
}

// Resume goes on from what was written into State.
func (t *Training) Resume() {}
