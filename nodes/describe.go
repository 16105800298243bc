package nodes

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// Measures are all metrics of the goal, of the last evaluation, with those of the best answer that is the same for all
// nodes.
func (t job) Measures() []run.Measure {
	row := t.goal.constant()
	z := slices.Repeat(row, len(t.z)/len(row))
	var list []run.Measure
	for _, name := range t.goal.metrics() {
		list = append(list, run.Measure{Metric: name, Valid: t.goal.measure(name, t.z, t.Split.Valid),
			Test: t.goal.measure(name, t.z, t.Split.Test), Majority: t.goal.plain(name, z, t.Split.Test)})
	}
	return list
}

// Describe names the data, and what is odd about it and about the result.
func (t job) Describe(r *run.Result) {
	r.Data, r.Warnings, r.Calibration = t.Data.Name, slices.Clone(t.Warnings), t.goal.calibration()
	if len(t.Split.Test) > 0 && len(r.Test.Runs) == 0 && t.Data.Labels.Task == "" {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("there is no %s of the test nodes: they have one class only", r.Metric))
	}
	for _, m := range r.Metrics {
		if m.Metric == r.Metric && m.Majority != nil && len(m.Test.Runs) > 0 && !beats(m) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("test %s %.4f is no better than always %s, which has %.4f",
				m.Metric, m.Test.Mean, t.goal.always(), float64(*m.Majority)))
		}
	}
}

// Score is a metric of some nodes, z being logits of all, as Predictions has them.
func (t *Task) Score(name string, z []mat.Real, nodes []int32) float64 {
	return t.goal.measure(name, z, nodes)
}

// Answer is the class that a row of logits stands for.
func (t *Task) Answer(z []mat.Real) int32 { return t.goal.answer(z) }

// Always is the best answer that is the same for all nodes, in quotes where it is a class.
func (t *Task) Always() string { return t.goal.always() }

// beats reports whether a model is better than one answer for all nodes.
func beats(m run.Measured) bool {
	if x, _ := metric.ByName(m.Metric); x.Lower {
		return m.Test.Mean < float64(*m.Majority)
	}
	return m.Test.Mean > float64(*m.Majority)
}
