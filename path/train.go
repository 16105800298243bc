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
	for !t.Done() {
		e, err := t.Epoch(ctx)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(e)
		}
	}
	return t.Finish(), nil
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
