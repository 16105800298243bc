package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/ranking"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/internal/swap"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/run"
)

// facts is the kind of runs that complete facts of a knowledge graph; parts has those that are trained on where
// entities are in parts on the disk, and is nil elsewhere.
type facts struct{ parts *swap.Folder }

// factsRun is such a run, open.
type factsRun struct{ *link.Trained }

func (facts) open(dir string, c *config.Config, d *dataset.Dataset) (opened, error) {
	keepTo(budget.Fixed())
	t, err := link.Load(dir, *c, d)
	return factsRun{t}, err
}

func (f facts) train(ctx context.Context, c config.Config, d *dataset.Dataset, o run.Options) (*run.Result, error) {
	return link.Run(ctx, c, d, link.Options{Options: o, Parts: f.parts})
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
	if f.parts != nil {
		n = int(f.parts.Facts)
	}
	list := []string{fmt.Sprintf("%s entities, %s relations, %s facts", terminal.Thousands(d.Graph.NumNodes()),
		terminal.Thousands(d.Graph.NumRelations()), terminal.Thousands(n))}
	if f.parts != nil {
		list = append(list, f.parts.Says())
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

// partsName is the folder of a run folder that has entities in parts, and keptName the data set that stands for all.
const (
	partsName = "parts"
	keptName  = "kept.bloom"
)

// inParts is a training of embeddings that do not fit into --memory.
type inParts struct {
	config   *config.Config
	kg       kg.Config
	memories int // matrices that the optimiser remembers
	text     *swap.Text
	plan     swap.Plan
}

// newInParts is nil where --memory is not set, the data is no folder of triples that embeddings are trained on, or the
// memory is enough to train on all of it.
func newInParts(cmd *cobra.Command, o config.Options) (*inParts, error) {
	if budget.Fixed() == 0 {
		return nil, nil
	}
	c, err := loadConfig(cmd, o)
	if err != nil {
		return nil, err
	}
	dir := c.Data.Name
	if e := catalogue.Find(dir); e != nil {
		dir, _ = e.Locate()
	}
	if dir == "" || !swap.IsText(dir) || swap.IsText(dir+"_ind") {
		return nil, nil
	}
	if name := strings.ToLower(filepath.Base(dir)); name != strings.ToLower(c.Data.Name) {
		o.Catalogue = name
	}
	if !family.Of(config.DefaultRecipe(c.Data.Name)).Links() {
		o.Fallback = func() string { return "complex" }
	}
	if c, err = loadConfig(cmd, o); err != nil || c.Family() != family.Embeddings {
		return nil, err
	}
	p := &inParts{config: c}
	if p.kg, err = link.Embedding(*c); err != nil {
		return nil, runError(cmd, err)
	}
	if p.text, err = swap.ReadText(dir, os.TempDir(), budget.Limit()/2); err != nil {
		return nil, runError(cmd, err)
	}
	fits, err := p.fit()
	if err != nil {
		_ = p.text.Close() // the error that matters is err
		return nil, runError(cmd, err)
	}
	if fits {
		return nil, p.text.Close()
	}
	return p, nil
}

// fit makes the plan, unless all fits.
func (p *inParts) fit() (all bool, err error) {
	o, err := optim.New(optim.Config{Rule: p.config.Train.Optimizer, Momentum: p.config.Train.Momentum},
		[]*ad.Param{ad.NewParam("entities", mat.New(1, 1))}, nil)
	if err != nil {
		return false, err
	}
	p.memories = len(o.Memory())
	if p.text.Whole(p.kg, p.memories) <= budget.Limit() {
		return true, nil
	}
	if err := p.kg.CheckWindow(); err != nil {
		return false, badData(fmt.Errorf("%s does not fit into memory, and in parts %w", p.text.Name, err))
	}
	if n := p.config.Train.Repeat; n > 1 {
		return false, &run.BadSetting{Key: "train.repeat", Value: fmt.Sprint(n), Want: "1 where entities are in parts"}
	}
	if p.plan, err = p.text.Plan(p.kg, p.memories, budget.Limit()); err != nil {
		err = badData(fmt.Errorf("%s: %w", p.text.Name, err))
	}
	return false, err
}

// folder writes the facts in buckets to a folder.
func (p *inParts) folder(dir string) (*swap.Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := p.plan.Room(dir, p.text.Costs(p.kg, p.memories)); err != nil {
		return nil, err
	}
	return swap.Create(filepath.Join(dir, partsName), p.plan, p.text)
}

// prepare fills the run folder. The config then names the facts that are kept.
func (p *inParts) prepare(dir string) (*swap.Folder, *dataset.Dataset, error) {
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		return nil, nil, fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", dir)
	}
	f, err := p.folder(dir)
	if err != nil {
		return nil, nil, err
	}
	d, err := p.text.Kept()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	d.Notes = []string{p.plan.Says()}
	p.config.Data.Name = filepath.Join(dir, keptName)
	err = errors.Join(native.Write(p.config.Data.Name, d), p.text.Close())
	p.text = nil
	if err == nil {
		d, err = native.Read(p.config.Data.Name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	keepTo(budget.Limit() - budget.Limit()/32) // see swap.Text.Plan
	debug.FreeOSMemory()
	return f, d, nil
}

// estimate is what it would need.
func (p *inParts) estimate(ctx context.Context) (line *estimateLine, err error) {
	dir, err := os.MkdirTemp("", "bloom-parts-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.text.Close(), os.RemoveAll(dir)) }()
	f, err := p.folder(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := run.Estimate{Epochs: p.config.Train.Epochs, Runs: 1,
		Weights: p.plan.Entities*p.plan.Dim + p.plan.Relations*p.kg.Model.Width(p.kg.Dim)}
	if e.Epoch, err = f.Probe(ctx, p.kg, p.memories, time.Second); err != nil {
		return nil, err
	}
	costs := p.text.Costs(p.kg, p.memories)
	line = &estimateLine{Data: p.text.Name, Recipe: p.config.Recipe, Way: p.plan.Says(), Disk: p.plan.Disk(costs)}
	line.fill(&e)
	line.Memory = []memoryLine{{Bytes: int(p.plan.Memory(costs))}}
	return line, nil
}
