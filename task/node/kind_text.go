package node

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Size counts nodes, edges, features and classes.
func (Kind) Size(_ *config.Config, d *dataset.Dataset) []string {
	labels := fmt.Sprintf("%d classes", len(d.Labels.Names))
	switch d.Labels.Task {
	case dataset.Sets:
		labels += ", any number of them a node"
	case dataset.Numbers:
		labels = "the number " + d.Labels.Names[0]
	}
	return append([]string{fmt.Sprintf("%s nodes, %s edges, %s features, %s",
		terminal.Thousands(d.Graph.NumNodes()), terminal.Thousands(d.Graph.NumEdges()),
		terminal.Thousands(d.NumFeatures()), labels)}, d.Notes...)
}

// Note is loss, validation and how much of the energy is taken away.
func (Kind) Note(e train.Event) string {
	note := task.LossAndValid(e)
	if e.Start > 0 {
		note += "  energy " + change(e.Start, e.End)
	}
	return note
}

// change is how much of an energy a descent takes away, or how much it adds, which is no descent.
func change(start, end float64) string {
	if end > start {
		return fmt.Sprintf("+%.3g%%", 100*(end-start)/start)
	}
	return fmt.Sprintf("−%.0f%%", 100*(start-end)/start)
}

// Meaning is the test metric in words, or the cross-validated one.
func (Kind) Meaning(r *train.Result, good func(string) string) string {
	if r.Folds > 0 && len(r.Test.Runs) == 0 {
		m, _ := metric.ByName(r.Metric)
		return fmt.Sprintf("%s is the %s of labelled nodes, each predicted by a model that had not seen its label: "+
			"the mean of %d folds. The model that was kept has learnt from all labels, so that this is what to expect "+
			"of it on other nodes. It took %s.", good(m.Text(r.Valid.Mean)), strings.ReplaceAll(r.Metric, "_", " "),
			r.Folds, terminal.Seconds(r.Seconds)) + besides(r)
	}
	if len(r.Test.Runs) == 0 {
		return ""
	}
	of := metric.TaskClasses
	if t := Of(r); t != nil {
		of = t.MetricTask()
	}
	m, _ := metric.ByName(r.Metric)
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(" (mean of %d runs)", len(r.Test.Runs))
	}
	return fmt.Sprintf("%s %s%s; it took %s for %s weights.", good(m.Text(r.Test.Mean)), m.About(of), runs,
		terminal.Seconds(r.Seconds), terminal.Thousands(r.Weights)) + besides(r)
}

// besides says what one answer for all nodes has, and how answers are made where that is not the larger probability.
func besides(r *train.Result) string {
	text := ""
	t := Of(r)
	for _, m := range r.Metrics {
		if t != nil && m.Metric == r.Metric && m.Majority != nil {
			of, _ := metric.ByName(r.Metric)
			text += fmt.Sprintf(" Always %s would have %s.", t.Always(), of.Text(float64(*m.Majority)))
		}
	}
	text += rareNodesText(r.Rare)
	if c := r.Calibration; t != nil && c != nil && c.Threshold > 0 {
		what := strconv.Quote(t.Data.Labels.Names[1])
		if t.Data.Labels.Task == dataset.Sets {
			what = "of a class"
		}
		best := "has the best " + c.By + " of"
		if c.By == "cost" {
			best = "costs least for"
		}
		on := "the validation nodes"
		if r.Folds > 0 {
			on = "nodes that did not teach"
		}
		if c.Thresholds != nil {
			return text + fmt.Sprintf(" A class is an answer above a probability of its own, %.2g to %.2g, which %s "+
				"%s.", slices.Min(c.Thresholds), slices.Max(c.Thresholds), best, on)
		}
		text += fmt.Sprintf(" Nodes are %s where that has a probability above %.3g, which %s %s.", what, c.Threshold,
			best, on)
	}
	return text
}

// Details are none.
func (Kind) Details(*train.Result) string { return "" }

// Headline is the metric of test and validation.
func (Kind) Headline(r *train.Result) string {
	if r.Folds == 0 {
		return task.Headline(r, "nodes", "")
	}
	test := ""
	if len(r.Test.Runs) > 0 {
		test = fmt.Sprintf("test %s %s, ", r.Metric, task.Scored(r.Test))
	}
	return fmt.Sprintf("%scross-validated %s %.4f ± %.4f over %d folds", test, r.Metric, r.Valid.Mean,
		standardError(r.Valid.Runs), r.Folds)
}

// Next is an audit.
func (Kind) Next(_ *config.Config, r *train.Result) string {
	return terminal.Command("bloom", "audit", r.Run)
}

// Evidence says how far the descent of a run went; empty where there is none.
func (Kind) Evidence(r *train.Result) string {
	t := Of(r)
	if t == nil || t.Stack == nil {
		return ""
	}
	e, err := t.Descents, error(nil)
	if e == nil {
		e, err = t.Stack.Evidence(t.On)
	}
	if err != nil || len(e[0].Energy) < 2 {
		return ""
	}
	return evidenceTexts(e)
}

// evidenceText is how far a descent went, in a sentence.
func evidenceText(e bloom.Evidence) string {
	if e.Drop() < 0 {
		return fmt.Sprintf("The %d steps of the descent raise the energy by %.3g %%: they may be too long "+
			"(energy.descent.gamma; safe is never too long).",
			e.Steps, -100*e.Drop())
	}
	return fmt.Sprintf("The %d steps of the descent take %.0f %% of the energy away; one more would move the "+
		"embeddings by %.2g %%.",
		e.Steps, 100*e.Drop(), 100*e.Residual)
}

// evidenceTexts is the same of all levels of a stack together, or of the first one whose energy rises.
func evidenceTexts(levels []bloom.Evidence) string {
	if len(levels) == 1 {
		return evidenceText(levels[0])
	}
	low, high, left := math.Inf(1), math.Inf(-1), 0.0
	for k, e := range levels {
		if e.Drop() < 0 {
			return fmt.Sprintf("Level %d of %d: %s", k+1, len(levels), evidenceText(e))
		}
		low, high, left = min(low, e.Drop()), max(high, e.Drop()), max(left, e.Residual)
	}
	return fmt.Sprintf("The descents of the %d levels take %.0f to %.0f %% of their energies away; one more step "+
		"would move what they find by at most %.2g %%.", len(levels), 100*low, 100*high, 100*left)
}

// keptLine is what a run has kept of its graph.
type keptLine struct {
	Nodes int `json:"nodes"`
	Of    int `json:"of"` // nodes of the graph
}

// newKeptLine is nil where it has kept all of it.
func newKeptLine(d *dataset.Dataset) *keptLine {
	if d.Of == 0 {
		return nil
	}
	return &keptLine{d.Graph.NumNodes(), d.Of}
}

// Kept says what a run is about that has kept a part of its graph; empty for one that has all of it.
func Kept(d *dataset.Dataset) string {
	if d.Of == 0 {
		return ""
	}
	return fmt.Sprintf("this is about %s of %s nodes, which the run has kept of its graph",
		terminal.Thousands(d.Graph.NumNodes()), terminal.Thousands(d.Of))
}

// noteKept says so.
func (t asked) noteKept(q *task.Request) {
	if kept := Kept(t.Data); kept != "" {
		fmt.Fprintf(q.Say, "bloom: %s\n", kept)
	}
}
