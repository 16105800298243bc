package kg

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
)

// watch keeps the weights with which the validation facts rank best.
type watch struct {
	model   *Model
	trainer Trainer
	facts   []graph.Triple
	known   *metric.Known
	best    float64 // NaN before the first look
	idle    int     // looks since the best
	kept    *optim.Best
}

// newWatch looks at the validation facts of d, or at some of them.
func newWatch(t Trainer, d *dataset.Dataset) watch {
	m := t.Model()
	w := watch{model: m, trainer: t, facts: sample(d.Valid, m.Config.Sample, m.Config.Seed), best: math.NaN()}
	if len(w.facts) == 0 || m.Config.Every == 0 {
		return w
	}
	w.known = metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)
	w.kept = optim.NewBest(t.Params())
	return w
}

// look is the MRR of the validation facts; NaN where there are none.
func (w *watch) look() (float64, error) {
	if len(w.facts) == 0 {
		return math.NaN(), nil
	}
	ranked, err := w.rank(len(w.facts))
	if err != nil {
		return 0, err
	}
	mrr := metric.MRR(metric.Rankings(ranked), metric.Realistic)
	w.idle++
	if !(mrr <= w.best) {
		w.best, w.idle = mrr, 0
		w.kept.Keep()
	}
	return mrr, nil
}

// rank ranks the first k validation facts with the present parameters.
func (w *watch) rank(k int) ([]metric.Ranked, error) {
	if err := w.trainer.Embed(); err != nil {
		return nil, err
	}
	return w.model.Rank(w.facts[:k], metric.Candidates{Known: w.known})
}

// tired reports whether the best look was too long ago.
func (w *watch) tired(patience int) bool { return patience > 0 && w.idle >= patience }

// restore brings the kept parameters back, if there are any, and H with them.
func (w *watch) restore() error {
	if !math.IsNaN(w.best) {
		w.kept.Restore()
	}
	if err := w.trainer.Embed(); err != nil {
		return fmt.Errorf("kg: after training: %w", err)
	}
	return nil
}
