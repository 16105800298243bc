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
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Size counts nodes, edges, features and classes.
func (Kind) Size(_ *config.Config, d *dataset.Dataset) []string {
	labels := fmt.Sprintf("%d classes", len(d.Labels.Names))
	switch d.Labels.Task {
	case dataset.Sets:
		labels += ", any number per node"
	case dataset.Numbers:
		labels = "the number " + d.Labels.Names[0]
	}
	return append([]string{fmt.Sprintf("%s nodes, %s edges, %s features, %s",
		show.Thousands(d.Graph.NumNodes()), show.Thousands(d.Graph.NumEdges()),
		show.Thousands(d.NumFeatures()), labels)}, d.Notes...)
}

// Note shows loss, validation and how much the descent lowers the energy.
func (Kind) Note(e train.Event) string {
	note := task.LossAndValid(e)
	if e.Start > 0 {
		note += "  energy " + change(e.Start, e.End)
	}
	return note
}

// change shows by what percentage a descent lowers an energy, or raises it, which a descent should not.
func change(start, end float64) string {
	if end > start {
		return fmt.Sprintf("+%.3g%%", 100*(end-start)/start)
	}
	return fmt.Sprintf("−%.0f%%", 100*(start-end)/start)
}

// Meaning returns the test metric, or the cross-validated one, with what a constant answer has.
func (Kind) Meaning(r *train.Result, good func(string) string) string {
	m, _ := metric.ByName(r.Metric)
	name := metric.Title(r.Metric)
	if r.Folds > 0 && len(r.Test.Runs) == 0 {
		return fmt.Sprintf("Cross-validated %s %s over %d folds%s, %s. The model that is kept has learnt from all "+
			"labels.", name, good(m.Text(r.Valid.Mean)), r.Folds, references(r), show.Seconds(r.Seconds)) +
			besides(r)
	}
	if len(r.Test.Runs) == 0 {
		return ""
	}
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(", mean of %d runs", len(r.Test.Runs))
	}
	return fmt.Sprintf("Test %s %s%s%s, %s parameters, %s.", name, good(m.Text(r.Test.Mean)), runs, references(r),
		show.Thousands(r.Weights), show.Seconds(r.Seconds)) + besides(r)
}

// references shows the scores of one answer for all nodes and of the closed form, in brackets; empty if neither is
// known.
func references(r *train.Result) string {
	of, _ := metric.ByName(r.Metric)
	var list []string
	for _, m := range r.Metrics {
		if Of(r) != nil && m.Metric == r.Metric && m.Majority != nil {
			list = append(list, "constant answer "+of.Text(float64(*m.Majority)))
		}
	}
	if x := closedScore(r); !math.IsNaN(x) && r.Recipe != "closed" {
		list = append(list, "closed form "+of.Text(x))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// closedScore returns the closed form's metric of the nodes that the run is measured on, NaN if it is not known.
func closedScore(r *train.Result) float64 {
	switch {
	case r.Closed == nil:
		return math.NaN()
	case len(r.Test.Runs) > 0:
		return float64(r.Closed.Test)
	}
	return float64(r.Closed.Valid)
}

// Scored returns the metric of the run and that of the closed form as text; empty if the run has no result.
func (t *Trained) Scored() string {
	of, _ := metric.ByName(t.metric)
	score, on := t.Result.Test, "Test"
	if len(score.Runs) == 0 {
		score, on = t.Result.Valid, "Validation"
	}
	if len(score.Runs) == 0 {
		return ""
	}
	text := on + " " + metric.Title(t.metric) + " " + of.Text(score.Mean)
	if x := closedScore(&t.Result); !math.IsNaN(x) && t.Config.Recipe != "closed" {
		text += ", closed form " + of.Text(x)
	}
	return text
}

// besides says how well rare classes are found, and how answers are made if not by the larger probability.
func besides(r *train.Result) string {
	t := Of(r)
	text := rareNodesText(r.Rare)
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
			on = "nodes that were not trained on"
		}
		if c.Thresholds != nil {
			return text + fmt.Sprintf(" A class is predicted above its own threshold, %.2g to %.2g, which %s "+
				"%s.", slices.Min(c.Thresholds), slices.Max(c.Thresholds), best, on)
		}
		text += fmt.Sprintf(" Nodes are predicted %s above a probability of %.3g, which %s %s.", what, c.Threshold,
			best, on)
	}
	return text
}

// Details returns nothing.
func (Kind) Details(*train.Result) string { return "" }

// Headline returns the metric of test and validation.
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

// Next proposes an audit.
func (Kind) Next(_ *config.Config, r *train.Result) string {
	return show.ShellCommand("bloom", "audit", r.Run)
}

// Evidence says how far the descent of a run went; empty if there is no descent.
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

// evidenceText says how far a descent went, in a sentence.
func evidenceText(e bloom.Evidence) string {
	if e.Drop() < 0 {
		return fmt.Sprintf("The %d steps of the descent raise the energy by %.3g %%: they may be too long "+
			"(energy.descent.gamma; safe is never too long).",
			e.Steps, -100*e.Drop())
	}
	return convergence(e.Residual) + fmt.Sprintf("the %d steps of the descent lower the energy by %.0f %%, and one "+
		"more changes embeddings by %.2g %%.", e.Steps, 100*e.Drop(), 100*e.Residual)
}

// evidenceTexts says the same of all levels of a stack together, or of the first level whose energy rises.
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
	return convergence(left) + fmt.Sprintf("the descents of the %d levels lower their energies by %.0f to %.0f %%, "+
		"and one more step changes embeddings by up to %.2g %%.", len(levels), 100*low, 100*high, 100*left)
}

// convergence returns how a sentence about a descent begins: it has converged where one more step changes embeddings
// by less than a hundredth.
func convergence(residual float64) string {
	if residual < 0.01 {
		return "Converged: "
	}
	return "Not converged: "
}

// keptLine says how much of its graph a run has kept.
type keptLine struct {
	Nodes int `json:"nodes"`
	Of    int `json:"of"` // nodes of the graph
}

// newKeptLine returns nil if it has kept all of it.
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
	return fmt.Sprintf("this covers %s of %s nodes, those that the run has kept of its graph",
		show.Thousands(d.Graph.NumNodes()), show.Thousands(d.Of))
}

// noteKept says so.
func (t asked) noteKept(q *task.Request) {
	if kept := Kept(t.Data); kept != "" {
		fmt.Fprintf(q.Say, "bloom: %s\n", kept)
	}
}

// Card returns the part of the model card that is about classes of nodes.
func (t job) Card(r *train.Result) train.Card {
	kind := "The baseline " + r.Recipe
	if t.Config.Energy != nil || t.Stack != nil {
		kind = "A graph neural network whose layers are steps of descent on an energy"
	}
	g, c := t.Data.Graph, t.Config.Train
	task, about := "node-classification", fmt.Sprintf("classify nodes into %d classes", t.Classes())
	switch t.Data.Labels.Task {
	case dataset.Sets:
		task, about = "node-multilabel-classification", fmt.Sprintf("predict which of %d classes nodes have",
			t.Classes())
	case dataset.Numbers:
		task, about = "node-regression", "predict a number for each node"
	}
	return train.Card{
		Task: task, Tags: []string{"bilevel-optimization"},
		About:  fmt.Sprintf("%s, trained by bloom to %s (%s).", kind, about, listed(t.Data.Labels.Names, 12)),
		Energy: t.energyText(),
		Data: fmt.Sprintf("%d nodes, %d edges, %d features; %d training, %d validation and %d test nodes (split %d).",
			g.NumNodes(),
			g.NumEdges(), t.Data.NumFeatures(), len(t.Split.Train), len(t.Split.Valid), len(t.Split.Test),
			t.Trial.Split),
		Training: fmt.Sprintf("%s at rate %g with weight decay %g, %d epochs, seed %d; the epoch with the best "+
			"validation %s was kept.",
			c.Optimizer, c.Rate, c.WeightDecay, r.Epochs, c.Seed, r.Metric),
		Limits: "Predictions are for nodes of this graph, or for nodes added to it (`bloom add`). A node whose " +
			"residual is large " +
			"disagrees with its own features: check it before trusting its class. Nothing is known about nodes " +
			"from elsewhere.",
		Commands: t.commands(),
		Loading:  "`model.safetensors` holds the weights by name and `config.yaml` everything that was set.",
	}
}

// commands returns the commands to run in the run folder.
func (t *Task) commands() [][]string {
	list := [][]string{{"predict", "."}, {"audit", "."}}
	if t.Stack != nil && t.Data.Labels.Task == "" {
		v := int32(0)
		if len(t.Split.Test) > 0 {
			v = t.Split.Test[0]
		}
		list = append(list, []string{"explain", ".", "--node", t.Data.NodeName(v)})
	}
	return list
}

// energyText returns the lower level by its formulas, with how far the descent goes.
func (t *Task) energyText() string {
	var b strings.Builder
	b.WriteString(t.energyLines())
	if t.Stack == nil {
		return strings.TrimRight(b.String(), "\n")
	}
	for _, l := range t.Stack.Levels {
		b.WriteString(t.edgeLine(l.Edges))
	}
	if levels, err := t.Stack.Evidence(t.On); err == nil {
		t.Descents = levels
		b.WriteByte('\n')
		for k, ev := range levels {
			what := "The descent"
			if len(levels) > 1 {
				what += fmt.Sprintf(" of level %d", k+1)
			}
			fmt.Fprintf(&b, "%s takes the energy from %.4g to %.4g; one more step would move the embeddings "+
				"by %.2g of their size.\n", what, ev.Energy[0], ev.Energy[len(ev.Energy)-1], ev.Residual)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// edgeLine returns how edges are weighed by their features; empty if they are not.
func (t *Task) edgeLine(w *energy.EdgeWeights) string {
	if w == nil {
		return ""
	}
	var by []string
	names := t.edgeNames()
	for j, x := range w.Params()[0].Value().Slice() {
		name := fmt.Sprint(j + 1)
		if j < len(names) {
			name = names[j]
		}
		by = append(by, fmt.Sprintf("%s %+.3g", name, x))
	}
	return fmt.Sprintf("    w = softplus(xᵀW + b)/softplus(b), by which f of an edge counts   W of its features: %s\n",
		listed(by, 12))
}

// edgeNames returns the names of the features of edges, if they come from tables.
func (t *Task) edgeNames() (names []string) {
	if t.Data.Schema == nil || t.Data.Schema.Edges == nil {
		return nil
	}
	for _, c := range t.Data.Schema.Edges.Columns {
		for _, f := range c.Features() {
			names = append(names, f.Name)
		}
	}
	return names
}

// energyLines describes the terms of the energy, its algorithm and its steps, a line each; empty without an energy.
func (t *Task) energyLines() string {
	e := t.Config.Energy
	if e == nil {
		return ""
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "    "+format+"\n", args...) }
	for _, f := range e.F {
		line("f = %s   %s", f.Text().F, strings.Join(f.Text().Where, ", "))
	}
	for _, k := range e.Kappa {
		line("κ = %s", k.Text().Kappa)
	}
	if e.Eta != nil {
		eta, _ := e.Eta.Text()
		line("η = %s", eta)
	}
	u := e.Update()
	line("A = %s, %d steps   %s", u.Name, e.L, strings.Join(u.Where, ", "))
	return b.String()
}

// listed returns the first names of a list.
func listed(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
