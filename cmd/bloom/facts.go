package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/ranking"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// facts is the kind of runs that complete facts of a knowledge graph; disk has those that are trained on where entities
// are in parts on the disk, and is nil elsewhere.
type facts struct{ disk *link.OnDisk }

// factsRun is such a run, open.
type factsRun struct{ *link.Trained }

func (facts) open(dir string, c *config.Config, d *dataset.Dataset) (opened, error) {
	budget.Keep(budget.Fixed())
	t, err := link.Load(dir, *c, d)
	return factsRun{t}, err
}

func (f facts) train(ctx context.Context, c config.Config, d *dataset.Dataset, o run.Options) (*run.Result, error) {
	return link.Run(ctx, c, d, link.Options{Options: o, Disk: f.disk})
}

func (facts) tried(ctx context.Context, c config.Config, d *dataset.Dataset,
	progress func(run.Event)) (float64, error) {
	r, err := link.Run(ctx, c, d, link.Options{Untested: true, Options: run.Options{Progress: func(e run.Event) {
		if !math.IsNaN(e.Best.Valid) {
			progress(e)
		}
	}}})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

func (facts) check(c config.Config, d *dataset.Dataset) (string, error) {
	if len(d.Valid) == 0 {
		return "", badData(fmt.Errorf("%s: there are no validation facts to choose settings by", d.Name))
	}
	_, err := link.Check(c, d)
	return link.Metric(c), err
}

func (facts) epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64,
	error) {
	e, err := link.NewEstimate(ctx, c, d, limit)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

// estimate rehearses nothing: all that training needs at a time is there when batches and ranks are timed.
func (facts) estimate(ctx context.Context, c config.Config, d *dataset.Dataset) (*run.Estimate, int, error) {
	e, err := link.NewEstimate(ctx, c, d, 0)
	return e, int(host.Peak()), err
}

func (f facts) size(c *config.Config, d *dataset.Dataset) []string {
	n := d.Graph.NumEdges()
	if f.disk != nil {
		n = f.disk.Facts()
	}
	list := []string{fmt.Sprintf("%s entities, %s relations, %s facts", terminal.Thousands(d.Graph.NumNodes()),
		terminal.Thousands(d.Graph.NumRelations()), terminal.Thousands(n))}
	if f.disk != nil {
		list = append(list, f.disk.String())
	}
	if on := link.Tested(*c, d); on != d {
		list = append(list, fmt.Sprintf("tested on another graph: %s entities, %s facts",
			terminal.Thousands(on.Graph.NumNodes()),
			terminal.Thousands(on.Graph.NumEdges())))
	}
	return list
}

func (facts) note(e run.Event) string {
	note := fmt.Sprintf("loss %.3f", e.Loss)
	if !math.IsNaN(e.Best.Valid) {
		note += fmt.Sprintf("  valid MRR %.3f", e.Best.Valid)
	}
	return note
}

func (facts) meaning(p terminal.Paint, _ *config.Config, r *run.Result) string {
	if len(r.Test.Runs) == 0 {
		return ""
	}
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(" by the best of %d runs", len(r.Test.Runs))
	}
	share := func(x float64) string { return p.Good(fmt.Sprintf("%.1f %%", 100*x)) }
	return fmt.Sprintf("Asked for either end of %s test facts, %s of the answers come first and %s are among the "+
		"first ten%s, %s; it took %s for %s weights.",
		terminal.Thousands(r.Ranking.Facts), share(r.Ranking.Hits1), share(r.Ranking.Hits10), runs,
		link.About(r.Ranking.Protocol),
		terminal.Seconds(r.Seconds), terminal.Thousands(r.Weights))
}

// details is a table of scores by rule of ties.
func (facts) details(res *run.Result) string {
	if len(res.Test.Runs) == 0 {
		return ""
	}
	var b strings.Builder
	r := res.Ranking
	fmt.Fprintf(&b, "%-13s %7s %7s %7s %7s %11s\n", "ties", "MRR", "Hits@1", "Hits@3", "Hits@10", "Hits@10_50")
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"realistic", r.Scores}, {"optimistic", r.Optimistic}, {"pessimistic", r.Pessimistic}} {
		of50 := "–"
		if r.Protocol == ranking.Full {
			of50 = fmt.Sprintf("%.4f", s.Hits10of50)
		}
		fmt.Fprintf(&b, "%-13s %7.4f %7.4f %7.4f %7.4f %11s\n", s.name, s.MRR, s.Hits1, s.Hits3, s.Hits10, of50)
	}
	return b.String()
}

func (facts) headline(r *run.Result) string {
	protocol := ""
	if r.Ranking != nil {
		protocol = fmt.Sprintf(" (%s)", r.Ranking.Protocol)
	}
	return headline(r, "facts", protocol)
}

// next is a question about the first test fact.
func (facts) next(c *config.Config, r *run.Result) string {
	d := link.Tested(*c, link.Of(r).Data)
	if config.IsBaseline(c.Recipe) || len(d.Test) == 0 {
		return shell.Command("bloom", "report", r.Run)
	}
	f := d.Test[0]
	return shell.Command("bloom", "predict", r.Run, "--head", d.IDs.At(f.U), "--relation", d.RelationName(f.R))
}
