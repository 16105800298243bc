package kg

import (
	"context"
	"fmt"
	"math"
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

// learner is one of the two ways to train.
type learner interface {
	// Epoch trains for an epoch and returns its loss.
	Epoch() (float64, error)
	// embed makes H that of the present parameters.
	embed() error
}

// embed has nothing to do: H is a parameter.
func (t *Trainer) embed() error { return nil }

// Train embeds the training graph of d as c says. progress, which may be nil, is called after every epoch. The weights are
// those of the best look at the validation facts, or the last ones where there was none. Where ctx ends first the error
// is its error, and the model is what there was by then.
func Train(ctx context.Context, c Config, d *dataset.Dataset, progress func(Progress)) (*Model, error) {
	c = c.filled()
	if d.Graph == nil || d.Graph.NumEdges() == 0 {
		return nil, &Bad{"data", d.Name, "has no training facts"}
	}
	l, m, err := newLearner(c, d.Graph)
	if err != nil {
		return nil, err
	}
	m.Entities, m.Relations = d.IDs, d.Relations
	w := watch{model: m, learner: l, facts: sample(d.Valid, c.Sample, c.Seed), best: math.NaN()}
	if len(w.facts) > 0 {
		w.known = KnownOf(d)
	}
	start := time.Now()
	for epoch := 1; epoch <= c.Epochs && !w.tired(c.Patience); epoch++ {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		loss, err := l.Epoch()
		if err != nil {
			return nil, err
		}
		p := Progress{Epoch: epoch, Epochs: c.Epochs, Loss: loss, Valid: math.NaN()}
		if c.Every > 0 && (epoch%c.Every == 0 || epoch == c.Epochs) {
			if p.Valid, err = w.look(); err != nil {
				return nil, err
			}
		}
		if p.Best, p.Elapsed = w.best, time.Since(start); progress != nil {
			progress(p)
		}
	}
	return m, w.restore()
}

// newLearner is the way that c says, with the model that it trains.
func newLearner(c Config, g *graph.Graph) (learner, *Model, error) {
	if c.Bilevel != nil && c.Bilevel.Block > 0 {
		t, err := newBlockTrainer(c, g)
		if err != nil {
			return nil, nil, err
		}
		return t, t.model, nil
	}
	if c.Bilevel != nil {
		t, err := newBilevelTrainer(c, g)
		if err != nil {
			return nil, nil, err
		}
		return t, t.model, nil
	}
	t, err := NewTrainer(c, g)
	if err != nil {
		return nil, nil, err
	}
	return t, t.Model, nil
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

// watch keeps the weights with which the validation facts rank best.
type watch struct {
	model   *Model
	learner learner
	facts   []graph.Triple
	known   *Known
	best    float64
	idle    int // looks since the best
	kept    []*mat.Dense
}

// look is the MRR of the validation facts; NaN where there are none.
func (w *watch) look() (float64, error) {
	if len(w.facts) == 0 {
		return math.NaN(), nil
	}
	if err := w.learner.embed(); err != nil {
		return 0, err
	}
	ranked, err := w.model.Rank(w.facts, w.known, Full, 0)
	if err != nil {
		return 0, err
	}
	mrr := w.model.report(ranked, Full).MRR
	w.idle++
	if !(mrr <= w.best) {
		w.best, w.idle = mrr, 0
		w.keep()
	}
	return mrr, nil
}

// keep copies the parameters.
func (w *watch) keep() {
	for i, p := range w.model.params() {
		if len(w.kept) == i {
			w.kept = append(w.kept, mat.New(p.Rows(), p.Cols()))
		}
		mat.Copy(w.kept[i], p.Value())
	}
}

// tired reports whether the best look was too long ago.
func (w *watch) tired(patience int) bool { return patience > 0 && w.idle >= patience }

// restore brings the kept parameters back, if there are any, and H with them.
func (w *watch) restore() error {
	for i, kept := range w.kept {
		mat.Copy(w.model.params()[i].Value(), kept)
	}
	if err := w.learner.embed(); err != nil {
		return fmt.Errorf("kg: after training: %w", err)
	}
	return nil
}
