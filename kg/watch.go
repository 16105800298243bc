package kg

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// watch keeps the weights with which the validation facts rank best.
type watch struct {
	model   *Model
	learner learner
	facts   []graph.Triple
	known   *metric.Known
	best    float64 // NaN before the first look
	idle    int     // looks since the best
	kept    []*mat.Dense
}

// newWatch looks at the validation facts of d, or at some of them.
func newWatch(m *Model, l learner, d *dataset.Dataset) watch {
	w := watch{model: m, learner: l, facts: sample(d.Valid, m.Config.Sample, m.Config.Seed), best: math.NaN()}
	if len(w.facts) == 0 || m.Config.Every == 0 {
		return w
	}
	w.known = metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)
	for _, p := range m.params() {
		w.kept = append(w.kept, mat.New(p.Rows(), p.Cols()))
	}
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
		for i, p := range w.model.params() {
			mat.Copy(w.kept[i], p.Value())
		}
	}
	return mrr, nil
}

// rank ranks the first k validation facts with the present parameters.
func (w *watch) rank(k int) ([]metric.Ranked, error) {
	if err := w.learner.embed(); err != nil {
		return nil, err
	}
	return w.model.Rank(w.facts[:k], metric.Candidates{Known: w.known})
}

// tired reports whether the best look was too long ago.
func (w *watch) tired(patience int) bool { return patience > 0 && w.idle >= patience }

// restore brings the kept parameters back, if there are any, and H with them.
func (w *watch) restore() error {
	for i, p := range w.model.params() {
		if !math.IsNaN(w.best) {
			mat.Copy(p.Value(), w.kept[i])
		}
	}
	if err := w.learner.embed(); err != nil {
		return fmt.Errorf("kg: after training: %w", err)
	}
	return nil
}
