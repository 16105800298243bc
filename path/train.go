package path

import (
	"context"
	"fmt"
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
	t, err := NewTraining(c, d)
	if err != nil {
		return nil, err
	}
	if err := through(ctx, t, progress); err != nil {
		return nil, err
	}
	return t.Finish(), nil
}

// underway is what both kinds of trainings have.
type underway interface {
	Done() bool
	Epoch(context.Context) (Event, error)
	State() map[string]any
}

var (
	_ underway = (*Training)(nil)
	_ underway = (*RefactorTraining)(nil)
)

// through trains to the end.
func through(ctx context.Context, t underway, progress func(Event)) error {
	for !t.Done() {
		e, err := t.Epoch(ctx)
		if err != nil {
			return err
		}
		if progress != nil {
			progress(e)
		}
	}
	return nil
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
