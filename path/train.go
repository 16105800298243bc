package path

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/bloomgml/bloom/dataset"
)

// Event is how far training has come.
type Event struct {
	Epoch, Epochs int     // done, and to do
	Loss          float64 // mean over the batches of the epoch
	Valid         float64 // filtered MRR of d.Valid; NaN where it was not measured
	Best          float64 // the best of them so far
	Elapsed       time.Duration
}

// Train trains a model on the graph of d, and keeps the weights of the epoch with the best MRR on
// d.Valid, or the last ones where there are no such facts. progress is called after every epoch; it may
// be nil.
func Train(ctx context.Context, c Config, d *dataset.Dataset, progress func(Event)) (*Model, error) {
	m, err := New(c, relationNames(d))
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(m, d.Graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	valid, err := newExaminer(m, d.Graph)
	if err != nil {
		return nil, err
	}
	l := &loop{Trainer: t, valid: valid, best: keep(m.params), event: Event{Epochs: m.Epochs, Best: math.NaN()}, start: time.Now()}
	for epoch := range m.Epochs {
		if err := l.epoch(ctx, epoch, d); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(l.event)
		}
	}
	l.best.restore(m.params)
	return m, nil
}

// relationNames are the names of the relations of d, numbers where they have none.
func relationNames(d *dataset.Dataset) []string {
	if len(d.Relations) > 0 {
		return d.Relations
	}
	names := make([]string, d.Graph.NumRelations())
	for r := range names {
		names[r] = fmt.Sprint(r)
	}
	return names
}

// loop is a training run.
type loop struct {
	*Trainer
	valid *examiner
	best  kept
	event Event
	start time.Time
}

// epoch trains an epoch and measures where that is due.
func (l *loop) epoch(ctx context.Context, epoch int, d *dataset.Dataset) error {
	sum := 0.0
	for i := range l.Batches() {
		if err := ctx.Err(); err != nil {
			return err
		}
		loss, err := l.Step(epoch, i)
		if err != nil {
			return err
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("path: the loss of batch %d of epoch %d is %v: try a smaller rate than %v", i, epoch+1, loss, l.Model.Rate)
		}
		sum += loss
	}
	l.event.Epoch, l.event.Loss, l.event.Valid = epoch+1, sum/float64(l.Batches()), math.NaN()
	if err := l.measure(ctx, d); err != nil {
		return err
	}
	l.event.Elapsed = time.Since(l.start)
	return nil
}

// measure evaluates the weights, where that is due, and keeps them where they are the best so far.
func (l *loop) measure(ctx context.Context, d *dataset.Dataset) error {
	e := l.event.Epoch
	if len(d.Valid) == 0 {
		l.best.take(l.Model.params)
		return nil
	}
	if e%l.Model.Every != 0 && e != l.Model.Epochs {
		return nil
	}
	r, err := l.valid.evaluate(ctx, d.Valid, Protocol{})
	if err != nil {
		return err
	}
	l.event.Valid = r.MRR()
	if !(l.event.Valid <= l.event.Best) {
		l.event.Best = l.event.Valid
		l.best.take(l.Model.params)
	}
	return nil
}
