package pair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Kind is the kind of runs that predict which pairs of nodes are joined.
type Kind struct{}

var _ task.Kind = Kind{}

// Name returns pair.
func (Kind) Name() string { return "pair" }

// Task returns links.
func (Kind) Task() string { return "links" }

// Has reports whether c is about pairs.
func (Kind) Has(c *config.Config) bool { return c.Family() == config.PairFamily }

// About says what is predicted.
func (Kind) About() string { return "links between nodes" }

// Takes returns true for top.
func (Kind) Takes(flag string) bool { return flag == "top" }

// Open calls Load.
func (Kind) Open(dir string, c config.Config, d *dataset.Dataset) (task.Run, error) {
	t, err := Load(dir, c, d)
	return asked{t}, err
}

// Train calls Run.
func (Kind) Train(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error) {
	return Run(ctx, c, d, o)
}

// Try calls Run without a folder.
func (Kind) Try(ctx context.Context, c config.Config, d *dataset.Dataset, progress func(train.Event)) (float64, error) {
	r, err := Run(ctx, c, d, train.Options{Progress: progress})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

// Check returns the metric.
func (Kind) Check(c config.Config, d *dataset.Dataset) (string, error) { return Check(c, d) }

// Epoch returns the seconds per epoch that NewEstimate finds.
func (Kind) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64, error) {
	e, err := NewEstimate(ctx, c, d, limit)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

// Estimate calls NewEstimate.
func (Kind) Estimate(ctx context.Context, c config.Config, d *dataset.Dataset, _ task.Ended) (
	*train.Estimate, int, error) {
	e, err := NewEstimate(ctx, c, d, 0)
	return e, int(host.Peak()), err
}

// Size counts nodes, edges and features.
func (Kind) Size(c *config.Config, d *dataset.Dataset) []string {
	return append([]string{fmt.Sprintf("%s nodes, %s edges, %s features; %.3g %% of the edges choose the epoch and "+
		"%.3g %% test", show.Thousands(d.Graph.NumNodes()), show.Thousands(d.Graph.NumEdges()),
		show.Thousands(d.NumFeatures()), 100*c.Pairs.Valid, 100*c.Pairs.Test)}, d.Notes...)
}

// Note shows loss and validation.
func (Kind) Note(e train.Event) string { return task.LossAndValid(e) }

// Meaning describes the test metric in words.
func (Kind) Meaning(r *train.Result, good func(string) string) string {
	if len(r.Test.Runs) == 0 {
		return ""
	}
	m, _ := metric.ByName(r.Metric)
	return fmt.Sprintf("Test %s %s on held-out edges, %s parameters, %s.", metric.Title(r.Metric),
		good(m.Text(r.Test.Mean)), show.Thousands(r.Weights), show.Seconds(r.Seconds))
}

// Details returns all metrics of the test edges.
func (Kind) Details(r *train.Result) string {
	var b strings.Builder
	for _, m := range r.Metrics {
		if len(m.Test.Runs) > 0 {
			fmt.Fprintf(&b, "%-18s %s\n", m.Metric, task.Scored(m.Test))
		}
	}
	return b.String()
}

// Headline returns the metric of test and validation.
func (Kind) Headline(r *train.Result) string { return task.Headline(r, "edges", "") }

// Next asks for links of the first node.
func (Kind) Next(_ *config.Config, r *train.Result) string {
	return show.ShellCommand("bloom", "predict", r.Run, "--node", Of(r).Data.NodeName(0), "--top", "10")
}

// Evidence is empty.
func (Kind) Evidence(*train.Result) string { return "" }

// NewEstimate says what Run would need for c on d; for limit see train.NewEstimate.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (
	*train.Estimate, error) {
	make := func(c config.Config) (train.Job, error) { return build(c, d, train.SeedTrials(c)[0]) }
	if e, err := train.Foresee(c, make); e != nil || err != nil {
		return e, err
	}
	return train.NewEstimate(ctx, c, func() (train.Job, error) { return make(c) }, limit)
}

// Check returns the metric of a config, or why it cannot be trained on d or be chosen by validation.
func Check(c config.Config, d *dataset.Dataset) (string, error) {
	j, err := build(c, d, train.SeedTrials(c)[0])
	if err != nil {
		return "", err
	}
	if len(j.split.valid) == 0 {
		return "", &train.BadSetting{Key: "pairs.valid", Value: "0 edges",
			Want: "validation edges to choose settings by"}
	}
	return j.metric, nil
}

// nothingBetween says why norms and dropout are idle.
const nothingBetween = "there are no hidden layers: see model.before and model.after"

// checkIdle rejects keys that have no effect under the other settings.
func (j *job) checkIdle() error {
	c, params := j.Config, j.Params()
	features := slices.ContainsFunc(j.Data.Features, func(x dataset.Matrix) bool { return x.Cols > 0 })
	before := 0
	if features {
		before = c.Model.Before
	}
	between := before > 1 || c.Model.After > 1
	lambda := func(p *ad.Param) bool { return strings.Contains(p.Name, "λ") }
	return task.CheckIdle(c, j.Data.Name, []task.IdleRule{
		{Keys: "train.epochs " + task.TrainingKeys, Is: len(params) == 0, Why: "it has no parameters to train"},
		{Keys: "train.weight_decay", Is: !slices.ContainsFunc(params, optim.Decays), Why: "no parameter is a matrix"},
		{Keys: "data.scale data.corrupt model.before", Is: !features,
			Why: "the nodes have no features: π is a row for each of them"},
		{Keys: "model.dropout", Is: !between && c.Stack.Levels < 2, Why: nothingBetween},
		{Keys: "model.norm model.residual", Is: !between, Why: nothingBetween},
		{Keys: "stack.norm stack.residual", Is: c.Stack.Levels < 2, Why: "stack.levels is 1"},
		{Keys: "model.hidden", Is: features && c.Model.Before == 0 && c.Model.After < 2,
			Why: "no layer is that wide"},
		{Keys: "pairs.common", Is: c.Model.After == 0 && !c.Pairs.Alike,
			Why: "model.after is 0: a pair scores ⟨h_u, h_v⟩"},
		{Keys: "energy.f energy.kappa energy.eta energy.descent model.learn_lambda model.adjoint",
			Is: c.Energy.L == 0, Why: "energy.steps is 0"},
		{Keys: "model.learn_lambda", Is: c.Model.LearnLambda && !slices.ContainsFunc(params, lambda),
			Why: "no term of energy.f has a λ"},
	})
}
