package pair

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/metric"
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
func (Kind) Try(ctx context.Context, c config.Config, d *dataset.Dataset,
	progress func(train.Event)) (float64, error) {
	r, err := Run(ctx, c, d, train.Options{Progress: progress})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

// Check returns the metric.
func (Kind) Check(c config.Config, d *dataset.Dataset) (string, error) { return Check(c, d) }

// Epoch returns the seconds per epoch that NewEstimate finds.
func (Kind) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64,
	error) {
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
