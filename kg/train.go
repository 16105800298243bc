package kg

import (
	"context"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Progress is how far training has come, after an epoch.
type Progress struct {
	Epoch, Epochs int
	Loss          float64 // mean over the batches of the epoch
	Valid         float64 // MRR of the validation facts; NaN where the epoch was not looked at
	Best          float64 // the best so far; NaN before the first look
	Elapsed       time.Duration
}

// Train embeds the training graph of d as c says. progress, which may be nil, is called after every epoch. The weights are
// those of the best look at the validation facts, or the last ones where there was none. Where ctx ends first the error
// is its error, and the model is what there was by then.
func Train(ctx context.Context, c Config, d *dataset.Dataset, progress func(Progress)) (*Model, error) {
	t, err := NewTraining(c, d)
	if err != nil {
		return nil, err
	}
	for !t.Done() {
		p, err := t.Epoch(ctx)
		switch {
		case err != nil && err == ctx.Err():
			return t.Model, err
		case err != nil:
			return nil, err
		case progress != nil:
			progress(p)
		}
	}
	return t.Finish()
}

// sample is at most n of the facts, spread evenly over a shuffled list; all for n = 0.
func sample(facts []graph.Triple, n int, seed uint64) []graph.Triple {
	if n == 0 || n >= len(facts) {
		return facts
	}
	o := newOrder(len(facts), n, mat.Mix(seed, 8))
	o.begin(1)
	list := make([]graph.Triple, n)
	for i, id := range o.batch(0) {
		list[i] = facts[id]
	}
	return list
}
