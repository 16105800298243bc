package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	model "github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/run"
)

// findNodes are the nodes of ids. An id that several node types have is written type/id.
func findNodes(cmd *cobra.Command, t *nodes.Trained, ids []string) ([]int32, error) {
	var nodes []int32
	for _, id := range ids {
		v, err := t.Data.Node(id)
		if err != nil {
			return nil, usage(cmd, "%w", err)
		}
		nodes = append(nodes, v)
	}
	return nodes, nil
}

// evidenceLine is how far a descent went as JSON; the keys stay. Of a stack it is the last descent.
type evidenceLine struct {
	Steps    int            `json:"steps"`
	Energy   []float64      `json:"energy"` // after 0, 1, … steps
	Drop     float64        `json:"drop"`
	Residual float64        `json:"residual"`
	Farthest []apartLine    `json:"farthest,omitempty"` // of levels of a stack: the nodes farthest from their features
	Levels   []evidenceLine `json:"levels,omitempty"`   // of a stack, from below
}

// apartLine is a node whose row a descent took away from its features.
type apartLine struct {
	ID       string  `json:"id"`
	Residual float64 `json:"residual"` // ‖h − π(x)‖
}

// newEvidenceLine is the evidence of all levels; nil where there is none.
func newEvidenceLine(d *dataset.Dataset, levels []model.Evidence) *evidenceLine {
	var lines []evidenceLine
	for _, e := range levels {
		lines = append(lines, evidenceLine{Steps: e.Steps, Energy: e.Energy, Drop: e.Drop(), Residual: e.Residual})
	}
	if len(lines) == 0 {
		return nil
	}
	last := lines[len(lines)-1]
	if len(lines) > 1 {
		last.Levels = lines
		for k, e := range levels {
			lines[k].Farthest = farthest(d, e)
		}
	}
	return &last
}

// farthest are the three nodes with the largest residuals.
func farthest(d *dataset.Dataset, e model.Evidence) []apartLine {
	order := make([]int32, len(e.Apart))
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortStableFunc(order, func(u, v int32) int { return cmp.Compare(e.Apart[v], e.Apart[u]) })
	var list []apartLine
	for _, v := range order[:min(3, len(order))] {
		list = append(list, apartLine{d.NodeName(v), e.Apart[v]})
	}
	return list
}

// writePredictionsJSON writes a line with the evidence and with how sets were made, where there are such, and then a
// line for every node.
func writePredictionsJSON(w io.Writer, d *dataset.Dataset, p *nodes.Predictions, e []model.Evidence,
	s *nodes.Conformal) error {
	enc, first := json.NewEncoder(w), map[string]any{}
	if e != nil {
		first["evidence"] = newEvidenceLine(d, e)
	}
	if s != nil {
		first["conformal"] = s
	}
	if len(first) > 0 {
		if err := enc.Encode(first); err != nil {
			return err
		}
	}
	for x := range p.Each {
		if err := enc.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

// predict prints a row a node.
func (t classesRun) predict(cmd *cobra.Command, c *runCommand) error {
	if t.disk != nil {
		return c.write(cmd, t.Job().WritePredictions)
	}
	p, err := t.Predict()
	if err != nil {
		return err
	}
	sets, err := t.conform(cmd, c, p)
	if err != nil {
		return err
	}
	if len(c.node) > 0 {
		nodes, err := findNodes(cmd, t.Trained, c.node)
		if err != nil {
			return err
		}
		p = p.Only(nodes)
	}
	e, err := evidenceOf(t.Task)
	if err != nil {
		return err
	}
	if e != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), evidenceTexts(e))
	}
	return c.write(cmd, func(w io.Writer) error {
		if c.json {
			return writePredictionsJSON(w, t.Data, p, e, sets)
		}
		return p.WriteCSV(w)
	})
}

// conform makes sets that hold the truth as often as --coverage says, and says how they do on the test nodes; nil
// where nobody asked for them.
func (t classesRun) conform(cmd *cobra.Command, c *runCommand, p *nodes.Predictions) (*nodes.Conformal, error) {
	if c.coverage == 0 {
		return nil, nil
	}
	if !(c.coverage > 0 && c.coverage < 1) {
		return nil, usage(cmd, "--coverage is %g, want a share above 0 and below 1", c.coverage)
	}
	s, err := p.Conform(nodes.Conforming{Coverage: c.coverage})
	if err != nil {
		return nil, err
	}
	for _, line := range conformalText(t.Data.Labels.Task, s) {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	return s, nil
}

// conformalText is what is promised of sets or intervals, and how they do on the test nodes.
func conformalText(task string, s *nodes.Conformal) []string {
	by := fmt.Sprintf("with probability %g, calibrated on %d validation nodes", s.Coverage, s.Nodes)
	if task == dataset.Numbers {
		return []string{fmt.Sprintf("Intervals hold the true number %s: that of %.1f %% of the test nodes, with a "+
			"width of %.3g.", by, 100*s.Test, s.Size)}
	}
	by += " (scores are randomised)"
	tested := fmt.Sprintf("%.1f %% of the test nodes, with a mean size of %.3g", 100*s.Test, s.Size)
	if task == dataset.Sets {
		return []string{fmt.Sprintf("Sets hold all classes of a node %s: those of %s. No set is empty.", by, tested)}
	}
	return append([]string{fmt.Sprintf("Sets hold the true class, whichever it is, %s: that of %s. No set is empty.",
		by, tested)}, rareText(s)...)
}

// rareText says for which classes nothing, or less, is promised, and which one has the lowest share of test nodes.
func rareText(s *nodes.Conformal) (lines []string) {
	var few []string
	var least *nodes.ConformalClass
	together := false
	for i, c := range s.Classes {
		if c.Tested > 0 && (least == nil || c.Test < least.Test) {
			least = &s.Classes[i]
		}
		if together = together || c.Together; !c.Alone {
			few = append(few, strconv.Quote(c.Name))
		}
	}
	if least != nil {
		lines = append(lines, fmt.Sprintf("The class with the lowest share of test nodes is %q: %.1f %% of %d.",
			least.Name, 100*least.Test, least.Tested))
	}
	if len(few) == 0 {
		return lines
	}
	promise := "nothing is promised of these classes"
	if together {
		promise = "the probability holds for their nodes together, not for each class"
	}
	if n := len(few) - 6; n > 0 {
		few = append(few[:6], fmt.Sprintf("and %d more", n))
	}
	return append(lines, fmt.Sprintf("Too few validation nodes have the class %s: %s.", strings.Join(few, ", "),
		promise))
}

// evidenceOf is nil for a baseline, which descends on nothing.
func evidenceOf(t *nodes.Task) ([]model.Evidence, error) {
	if t.Stack == nil {
		return nil, nil
	}
	return t.Stack.Evidence(t.On)
}

// classes is the kind of runs that classify nodes, with the graph where that stays on the disk.
type classes struct{ disk *nodes.OnDisk }

// classesRun is such a run, open.
type classesRun struct {
	*nodes.Trained
	disk *nodes.OnDisk
}

func (k classes) open(dir string, c *config.Config, d *dataset.Dataset) (opened, error) {
	t, err := nodes.Load(dir, *c, d, nodes.Options{Disk: k.disk})
	return classesRun{t, k.disk}, err
}

func (k classes) train(ctx context.Context, c config.Config, d *dataset.Dataset, o run.Options) (*run.Result, error) {
	return nodes.Run(ctx, c, d, nodes.Options{Options: o, Energies: true, Disk: k.disk})
}

func (classes) tried(ctx context.Context, c config.Config, d *dataset.Dataset,
	progress func(run.Event)) (float64, error) {
	r, err := nodes.Run(ctx, c, d, nodes.Options{Options: run.Options{Progress: progress}})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

func (classes) check(c config.Config, d *dataset.Dataset) (string, error) {
	t, err := nodes.Build(c, d, nodes.Trials(c, d)[0], nodes.Options{})
	if err != nil {
		return "", err
	}
	if len(t.Split.Valid) == 0 {
		return "", badData(fmt.Errorf("%s: the split has no validation nodes to choose settings by", d.Name))
	}
	return t.Metric(), nil
}

func (classes) epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64,
	error) {
	e, err := nodes.NewEstimate(ctx, c, d, nodes.Options{Energies: true}, limit)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

// estimate rehearses first: what is read, compiled and written around the epochs needs memory too.
func (k classes) estimate(ctx context.Context, c config.Config, d *dataset.Dataset) (*run.Estimate, int, error) {
	o := nodes.Options{Energies: true}
	if large, err := foresee(c, d, o); large != nil || err != nil {
		return large, 0, err
	}
	process, err := k.rehearse(ctx, c, d)
	if err != nil {
		return nil, 0, err
	}
	if d, err = catalogue.Open(c.Data.Name); err != nil { // again: its graph keeps what the rehearsal made
		return nil, 0, badData(err)
	}
	e, err := nodes.NewEstimate(ctx, c, d, o, 0)
	if err == nil {
		err = e.Others(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	return &e.Estimate, process, nil
}

// foresee is run.Foresee; d is in no closure of estimate, which would hold it while the page reads the data again.
func foresee(c config.Config, d *dataset.Dataset, o nodes.Options) (*run.Estimate, error) {
	return run.Foresee(c, func(c config.Config) (run.Job, error) {
		t, err := nodes.Build(c, d, nodes.Trials(c, d)[0], o)
		if err != nil {
			return nil, err
		}
		return t.Job(), nil
	})
}

// rehearse does all that bloom train does with very few epochs, in a folder that it removes, and returns the size that
// the process had at most. It is 0 where that is not known, or where an implicit derivative fails, about which the
// estimate says more.
func (k classes) rehearse(ctx context.Context, c config.Config, d *dataset.Dataset) (int, error) {
	c.Train.Epochs = min(c.Train.Epochs, 3)
	err := nodes.Rehearse(ctx, c, d, func(c config.Config, _ *dataset.Dataset, r *run.Result) error {
		newTrainText(io.Discard, k).end(&c, r)
		r.Job = nil
		return writePage(r.Run)
	})
	var far *adjoint.NotConverged
	if errors.As(err, &far) {
		return 0, nil
	}
	return int(host.Peak() / 16 * 17), err // the collector may begin a little later another time
}

func (classes) size(_ *config.Config, d *dataset.Dataset) []string {
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

// lossAndValid shows an epoch: its loss, and its validation metric or the best before it, where there is one.
func lossAndValid(e run.Event) string {
	valid := e.Valid
	if math.IsNaN(valid) { // this epoch is not evaluated
		valid = e.Best.Valid
	}
	if math.IsNaN(valid) { // nor was one before
		return fmt.Sprintf("loss %.3f", e.Loss)
	}
	return fmt.Sprintf("loss %.3f  valid %.3f", e.Loss, valid)
}

func (classes) note(e run.Event) string {
	note := lossAndValid(e)
	if e.Start > 0 {
		note += "  energy " + change(e.Start, e.End)
	}
	return note
}

func (classes) meaning(p terminal.Paint, _ *config.Config, r *run.Result) string {
	if len(r.Test.Runs) == 0 {
		return ""
	}
	task := metric.TaskClasses
	if t := nodes.Of(r); t != nil {
		task = t.MetricTask()
	}
	m, _ := metric.ByName(r.Metric)
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(" (mean of %d runs)", len(r.Test.Runs))
	}
	return fmt.Sprintf("%s %s%s; it took %s for %s weights.", p.Good(m.Text(r.Test.Mean)), m.About(task), runs,
		terminal.Seconds(r.Seconds), terminal.Thousands(r.Weights)) + besides(r)
}

// besides says what one answer for all nodes has, and how answers are made where that is not the larger probability.
func besides(r *run.Result) string {
	text := ""
	t := nodes.Of(r)
	for _, m := range r.Metrics {
		if t != nil && m.Metric == r.Metric && m.Majority != nil {
			of, _ := metric.ByName(r.Metric)
			text += fmt.Sprintf(" Always %s would have %s.", t.Always(), of.Text(float64(*m.Majority)))
		}
	}
	if c := r.Calibration; t != nil && c != nil && c.Threshold > 0 {
		what := strconv.Quote(t.Data.Labels.Names[1])
		if t.Data.Labels.Task == dataset.Sets {
			what = "of a class"
		}
		text += fmt.Sprintf(" Nodes are %s where that has a probability above %.3g, which has the best %s of the "+
			"validation nodes.", what, c.Threshold, c.By)
	}
	return text
}

func (classes) details(r *run.Result) string {
	if r.Relaxed == nil {
		return ""
	}
	return fmt.Sprintf("States are at the fixed point of the energy but for %.2g of their size, and their adjoint but "+
		"for %.2g (norms of gradients).\n", r.Relaxed["states"], r.Relaxed["adjoint"])
}

func (classes) headline(r *run.Result) string { return headline(r, "nodes", "") }

func (classes) next(_ *config.Config, r *run.Result) string {
	return shell.Command("bloom", "audit", r.Run)
}

// evidenceOfRun says how far the descent of a run went; empty where there is none.
func evidenceOfRun(r *run.Result) string {
	t := nodes.Of(r)
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
