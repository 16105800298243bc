package node

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Conform makes Tell return sets, or intervals, that contain the truth with a given probability, by the rows of H of
// the validation nodes, as Predictions.Conform does. The error is a *train.BadData.
func (t *Teller) Conform(coverage float64, row func(v int32) []mat.Real) (*Conformal, error) {
	valid := t.task.Split.Valid
	if t.task.raced.hasFolds() {
		p := t.task.outOfFold()
		if valid = t.task.raced.answers.nodes; t.task.Data.Labels.Task != dataset.Numbers {
			p.scores = p.scored()
		}
		if err := t.task.vouch(coverage, len(valid)); err != nil {
			return nil, err
		}
		t.conformal = t.task.calibrated(p.own(valid), valid, coverage)
		return t.conformal, nil
	}
	if err := t.task.vouch(coverage, len(valid)); err != nil {
		return nil, err
	}
	var scores []float64
	for from := 0; from < len(valid); from += t.rows {
		some := valid[from:min(from+t.rows, len(valid))]
		if err := t.run(len(some), func(i int) []mat.Real { return row(some[i]) }); err != nil {
			return nil, err
		}
		for i, v := range some {
			scores = append(scores, t.trueScore(v, i))
		}
	}
	t.conformal = t.task.calibrated(scores, valid, coverage)
	return t.conformal, nil
}

// trueScore returns the score of the true label of node v, which row i is about.
func (t *Teller) trueScore(v int32, i int) float64 {
	l, k := t.task.Data.Labels, t.task.Classes()
	switch g := t.task.goal.(type) {
	case *numbers:
		return math.Abs(g.value(t.z[i]) - float64(l.Values[v]))
	case *sets:
		worst := 0.0
		for y, s := range t.scores(v, i) {
			if l.Values[int(v)*k+y] > 0 {
				worst = max(worst, s)
			}
		}
		return worst
	}
	return t.scores(v, i)[l.Class[v]]
}

// scores returns the conformal scores of all classes for node v, −1 for a new node, which row i is about.
func (t *Teller) scores(v int32, i int) []float64 {
	k := t.task.Classes()
	s := make([]float64, k)
	t.task.score(s, v, t.z[i*k:(i+1)*k], t.p[i*k:(i+1)*k])
	return s
}

// conform writes the set or the interval of node v, which row i is about, into out.
func (t *Teller) conform(out *Prediction, v int32, i int) {
	var scores []float64
	if out.Value == nil {
		scores = t.scores(v, i)
	}
	t.conformal.fill(out, t.task.Data.Labels.Names, scores)
}
