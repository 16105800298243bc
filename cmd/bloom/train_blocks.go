package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/excerpt"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/internal/settle"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/run"
)

// fromDisk is a training whose graph stays on the disk. Where the descent is linear it is run once, and what it makes
// of the rows of labelled nodes is trained on; where it is convex, states are relaxed on the disk in every epoch; all
// else, and what train.sample.batch is set for, is trained on parts of the graph.
type fromDisk struct {
	store  *blocks.Store
	config *config.Config
	disk   *nodes.Disk

	settle settle.Options
	plan   settle.Plan

	onDisk // where the descent is run once, at most rows
	room   relax.Plan
	why    error // there is no way but parts; nil where they were asked for, and for others
}

// onDisk is a graph that stays on the disk, or what a descent has made of it.
type onDisk struct {
	graph *relax.Graph   // whose states are relaxed; nil for others
	parts *excerpt.Graph // that is trained on in parts; nil for others
	rows  *settle.Rows   // of all nodes that train, where they do not fit; nil for others
}

// any reports whether there is one.
func (o onDisk) any() bool { return o.graph != nil || o.parts != nil || o.rows != nil }

// close removes what lies beside the graph, and closes it.
func (o onDisk) close() error {
	switch {
	case o.rows != nil:
		return o.rows.Close()
	case o.parts != nil:
		return o.parts.Close()
	}
	return errors.Join(o.graph.Close(), o.graph.Store.Close())
}

// newFromDisk is nil where the data is no folder of blocks, or the memory is enough to train on all of it.
func newFromDisk(cmd *cobra.Command, o config.Options) (*fromDisk, error) {
	c, err := loadConfig(cmd, o)
	if err != nil {
		return nil, err
	}
	file := catalogue.File(c.Data.Name)
	if file == "" || !blocks.Is(file, true) {
		return nil, nil
	}
	o.Fallback = func() string { return "base" }
	if c, err = loadConfig(cmd, o); err != nil {
		return nil, err
	}
	s, err := blocks.Open(file)
	if err != nil {
		return nil, runError(cmd, err)
	}
	keepTo(budget.Fixed())
	need, err := needOf(cmd, s, o)
	if err != nil {
		return nil, runError(cmd, errors.Join(err, s.Close()))
	}
	if need <= budget.Limit() {
		return nil, s.Close()
	}
	if s.Typed != nil {
		return nil, runError(cmd, errors.Join(wantsMemory(s, need), s.Close()))
	}
	f := &fromDisk{store: s, config: c}
	asked := slices.ContainsFunc(o.Set, func(x string) bool { return strings.HasPrefix(x, "model.before=") })
	if f.shorten(asked) {
		notice(cmd)(fmt.Sprintf("π has one layer, where the recipe has %d: the descent of a linear π can be run once "+
			"(--set model.before=%d keeps them, and relaxes states in every epoch)", c.Model.Before, c.Model.Before))
		c.Model.Before = 1
	}
	if err := f.prepare(cmd.Context()); err != nil {
		_ = s.Close() // the error that matters is err
		return nil, runError(cmd, err)
	}
	return f, nil
}

// needOf is wholeOf for what openConfigured makes of o, whose recipe is known.
func needOf(cmd *cobra.Command, s *blocks.Store, o config.Options) (int64, error) {
	if name := strings.ToLower(s.Name); name != strings.ToLower(o.Data) {
		o.Catalogue = name
	}
	c, err := loadConfig(cmd, o)
	if err != nil {
		return 0, err
	}
	return wholeOf(cmd.Context(), s, *c)
}

// wantsMemory is the error for a graph with types or relations that does not fit.
func wantsMemory(s *blocks.Store, need int64) error {
	return fileerr.In(s.Dir(), "a graph with types of nodes or several relations is trained on in memory, which takes "+
		"about %s (--memory %s allows it)", budget.Text(need), budget.Text(need+need/8))
}

// shorten reports whether a π of one layer, in the place of more that nobody asked for, makes the descent one that is
// run once.
func (f *fromDisk) shorten(asked bool) bool {
	c := *f.config
	if asked || c.Model.Before < 2 || c.Train.Sample.Asked() {
		return false
	}
	c.Model.Before = 1
	d, err := nodes.NewDisk(c, f.store.Columns, f.store.Classes)
	return err == nil && d.Once
}

// prepare finds out what is to be done.
func (f *fromDisk) prepare(ctx context.Context) (err error) {
	s, c := f.store, f.config
	f.disk, err = nodes.NewDisk(*c, s.Columns, s.Classes)
	var other *run.BadSetting
	switch {
	case c.Train.Sample.Asked() || errors.As(err, &other):
		return f.divide(ctx, err)
	case err != nil:
		return err
	case !f.disk.Once:
		f.graph, err = relax.NewGraph(ctx, s, relax.Options{Scale: c.Data.Scale, Split: c.Data.Split,
			Seed: c.Train.Seed, Memory: budget.Limit()})
		if err != nil {
			return err
		}
		f.room, err = f.graph.NewPlan(f.disk.Width, f.disk.Random)
		return err
	}
	f.settle, f.plan, err = settle.Fit(s, onceOf(c, f.disk, c.Data.Split))
	return err
}

// mostKept is settle.Options.Most; tests keep fewer.
var mostKept = 0

// onceOf is how a config runs a descent once, for a split of the graph.
func onceOf(c *config.Config, d *nodes.Disk, split int) settle.Options {
	return settle.Options{Local: d.Local, Steps: d.Steps, Energy: d.Energy, Scale: c.Data.Scale, Split: split,
		Most: mostKept, Seed: c.Train.Seed, Memory: budget.Limit(), Spread: d.Spread}
}

// divide prepares training on parts; why is why there is no other way, nil where parts were asked for.
func (f *fromDisk) divide(ctx context.Context, why error) error {
	c := f.config
	if c.Data.Corrupt != "" {
		return &run.BadSetting{Key: "data.corrupt", Value: c.Data.Corrupt, Want: "none, as the graph is on the disk"}
	}
	divided := *c
	divided.Train.Sample.Batch = max(1, c.Train.Sample.Batch)
	var bad *run.BadSetting
	if _, err := nodes.NewDisk(divided, f.store.Columns, f.store.Classes); errors.As(err, &bad) &&
		strings.HasPrefix(bad.Key, "train.sample.") {
		return cmp.Or(why, err)
	}
	o := partsOf(c, c.Data.Split, c.Data.Scale)
	var err error
	if f.parts, err = excerpt.New(ctx, f.store, o); err != nil {
		return err
	}
	if err := f.parts.Fit(); err != nil {
		return err
	}
	c.Train.Sample.Batch, f.why = f.parts.Batch, why
	return nil
}

// partsOf is how a config draws parts of a graph, of whose split and with which scaling of its features.
func partsOf(c *config.Config, split int, scale string) excerpt.Options {
	return excerpt.Options{Options: c.Train.Sample, Scale: scale, Split: split, Seed: c.Train.Seed,
		Memory: budget.Limit(), Width: c.Model.Hidden, Steps: stepsOf(c)}
}

// stepsOf is how many steps or layers a network has in all.
func stepsOf(c *config.Config) int {
	if c.Energy == nil {
		return c.Model.Layers
	}
	return c.Energy.L * max(1, c.Stack.Levels)
}

// String says what is done with how much.
func (f *fromDisk) String() string {
	size := fmt.Sprintf("%s nodes and %s edges on disk", terminal.Thousands(f.store.Nodes),
		terminal.Thousands(int(f.store.Edges)))
	if f.parts != nil {
		s := f.config.Train.Sample
		drawn := fmt.Sprintf("with up to %d neighbours drawn around every node, %d times", s.Fanout, s.Hops)
		if s.Clusters > 0 {
			drawn = fmt.Sprintf("in whole clusters, %s of them in all", terminal.Thousands(s.Clusters))
		}
		text := fmt.Sprintf("%s: parts of the graph are trained on, %s training nodes each %s, within %s; what is "+
			"measured are parts too", size, terminal.Thousands(s.Batch), drawn, budget.Text(f.parts.Memory))
		if f.why != nil {
			text += " (for another way: " + f.why.Error() + ")"
		}
		return text
	}
	if f.graph != nil {
		return fmt.Sprintf("%s: states are relaxed to the fixed point of the energy in every epoch, %d of %d columns "+
			"at a time within %s, and %s on the disk; energy.steps, energy.descent and model.adjoint do not matter",
			size, f.room.Width, f.disk.Width, budget.Text(f.room.Memory), budget.Text(f.room.Disk))
	}
	text := fmt.Sprintf("%s: %d steps are run once, %d of %d columns at a time within %s, and ", size, f.settle.Steps,
		f.plan.Width, f.settle.Columns(f.store), budget.Text(f.plan.Memory))
	if f.settle.Thin {
		return text + fmt.Sprintf("%s rows are trained on, which are read from the disk in every epoch",
			terminal.Thousands(f.plan.Trains))
	}
	return text + terminal.Thousands(f.plan.Kept) + " rows are trained on"
}

// The files of a run folder with the rows that were trained on or looked at, and with the part of the graph that was.
const (
	settledName = "settled.bloom"
	partName    = "part.bloom"
)

// run prepares the run folder. The config then names what is there, and training is as on any other set.
func (f *fromDisk) run(cmd *cobra.Command, dir string) (*dataset.Dataset, error) {
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		return nil, fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	notice(cmd)(f.String())
	rows, name := func(cmd *cobra.Command) (*dataset.Dataset, error) { return f.settled(cmd, dir) }, settledName
	switch {
	case f.parts != nil:
		f.parts.Scratch, name = dir, partName
		rows = func(*cobra.Command) (*dataset.Dataset, error) {
			keepTo(f.parts.Memory)
			return f.parts.Dataset()
		}
	case f.graph != nil:
		f.graph.Scratch = dir
		rows = func(*cobra.Command) (*dataset.Dataset, error) {
			mapped := 8 * int64(f.graph.Kept()) * int64(f.graph.Columns) // by training, and by the page
			debug.SetMemoryLimit(max(f.graph.Memory/2, f.graph.Memory-program-mapped))
			return f.graph.Dataset(f.disk.Energy)
		}
	}
	d, err := rows(cmd)
	if err != nil {
		return nil, runError(cmd, err)
	}
	d.Notes = append(d.Notes, f.String())
	path := filepath.Join(dir, name)
	if err := native.Write(path, d); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what is no longer needed
	if err := noteGraph(dir, f.store.Dir(), f.config.Data); err != nil {
		return nil, err
	}
	if f.config.Data.Name, f.config.Data.Split = path, 0; f.parts != nil {
		f.config.Data.Scale = "none" // they are
	}
	return native.Read(path)
}

// settled is the set of settled rows; where those that train do not fit, they are in a file of the run folder without
// a name.
func (f *fromDisk) settled(cmd *cobra.Command, dir string) (_ *dataset.Dataset, err error) {
	debug.SetMemoryLimit(f.plan.Heap())
	line := terminal.NewProgress(cmd.ErrOrStderr(), "settling")
	defer line.End()
	f.settle.Progress = func(done, total int64) { line.Set(done, total, "") }
	if f.settle.Thin {
		if f.rows, err = settle.NewRows(dir); err != nil {
			return nil, err
		}
		f.settle.Train = f.rows
	}
	return settle.Run(cmd.Context(), f.store, f.settle)
}

// rowsAgain settles the rows that train once more, of a run that goes on with them on the disk; nil for others.
func rowsAgain(cmd *cobra.Command, dir string, c *config.Config, d *dataset.Dataset) (*settle.Rows, error) {
	folder, was := graphOf(dir)
	if folder == "" || d.Settled == "" {
		return nil, nil
	}
	s, err := blocks.Open(folder)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	disk, err := nodes.NewDisk(*c, s.Columns, s.Classes)
	if err != nil || !disk.Once {
		return nil, err
	}
	f := &fromDisk{store: s, settle: onceOf(c, disk, was.Split)}
	f.settle.Thin = true
	k, err := settle.Choose(s, f.settle)
	if err != nil || k.Trains() == len(d.Splits[0].Train) {
		return nil, err
	}
	if f.plan, err = settle.NewPlan(s, k, f.settle); err != nil {
		return nil, err
	}
	now := func() (*dataset.Dataset, error) {
		is, err := f.settled(cmd, dir)
		if err == nil && near(is.Features[0].Values, d.Features[0].Values) {
			is.Features = d.Features // panels of another width round otherwise
		}
		return is, err
	}
	if err := unchanged(s, d, now); err != nil {
		return nil, errors.Join(err, f.rows.Close())
	}
	debug.FreeOSMemory() // what is no longer needed
	return f.rows, nil
}

// near reports whether a is b up to rounding: ‖a − b‖ ≤ 10⁻⁴ ‖b‖.
func near(a, b []mat.Real) bool {
	off, all := 0.0, 0.0
	for i := range min(len(a), len(b)) {
		d := float64(a[i]) - float64(b[i])
		off, all = off+d*d, all+float64(b[i])*float64(b[i])
	}
	return len(a) == len(b) && off <= 1e-8*all
}

// close closes the graph.
func (f *fromDisk) close() error {
	switch {
	case f.rows != nil:
		return errors.Join(f.rows.Close(), f.store.Close())
	case f.any():
		return f.onDisk.close()
	}
	return f.store.Close()
}

// estimate is what it would need.
func (f *fromDisk) estimate(ctx context.Context) (*estimateLine, error) {
	defer f.close()
	switch {
	case f.parts != nil:
		return f.estimateParts(ctx)
	case f.graph != nil:
		return f.estimateRelaxed(ctx)
	}
	seconds, err := settle.Probe(ctx, f.store, f.plan, f.settle, time.Second)
	if err != nil {
		return nil, err
	}
	d, err := f.noise(min(f.plan.Kept, 1<<15))
	if err != nil {
		return nil, err
	}
	c := *f.config
	c.Data.Split = 0
	e, err := nodes.NewEstimate(ctx, c, d, nodes.Options{}, 0)
	if err != nil {
		return nil, err
	}
	line := &estimateLine{Data: f.store.Name, Recipe: c.Recipe, Way: f.String(), Disk: f.plan.Disk, Settle: seconds}
	// an epoch was timed on some rows of noise
	e.Epoch *= float64(max(f.plan.Kept, f.plan.Trains)) / float64(d.Graph.NumNodes())
	line.fill(&e.Estimate)
	line.Memory = []memoryLine{{Bytes: int(f.plan.Memory)}}
	line.Seconds += seconds
	return line, nil
}

// estimateParts concludes from some parts, and from the one that is looked at.
func (f *fromDisk) estimateParts(ctx context.Context) (*estimateLine, error) {
	f.parts.Scratch, f.parts.Some = os.TempDir(), 4
	d, err := f.parts.Dataset()
	if err != nil {
		return nil, err
	}
	c := *f.config
	c.Data.Split, c.Data.Scale = 0, "none"
	begin := time.Now()
	e, err := nodes.NewEstimate(ctx, c, d, nodes.Options{Parts: f.parts}, 0)
	if err != nil {
		return nil, err
	}
	line := &estimateLine{Data: f.store.Name, Recipe: c.Recipe, Way: f.String(), Disk: f.parts.Disk(),
		Settle: time.Since(begin).Seconds()}
	line.fill(&e.Estimate)
	return line, nil
}

// usualSweeps is about how many sweeps states take in an epoch, and their adjoint as many.
const usualSweeps = 30

// estimateRelaxed concludes from sweeps over the first blocks.
func (f *fromDisk) estimateRelaxed(ctx context.Context) (*estimateLine, error) {
	sweep, err := f.graph.Probe(f.disk.Local, f.room, time.Second)
	if err != nil {
		return nil, err
	}
	c := *f.config
	c.Data.Split = 0
	d, err := f.graph.Dataset(f.disk.Energy)
	if err != nil {
		return nil, err
	}
	t, err := nodes.Build(c, d, nodes.Trials(c, d)[0], nodes.Options{})
	if err != nil {
		return nil, err
	}
	e := run.Estimate{Epochs: c.Train.Epochs, Runs: max(1, c.Train.Repeat), Epoch: 2 * usualSweeps * sweep,
		Warnings: t.Warnings}
	if f.disk.Random {
		e.Epoch += usualSweeps * sweep / float64(max(1, c.Train.Every))
	}
	for _, p := range t.Job().Params() {
		e.Weights += p.Shape().Len()
	}
	line := &estimateLine{Data: f.store.Name, Recipe: c.Recipe, Way: f.String(), Disk: f.room.Disk}
	line.fill(&e)
	line.Memory = []memoryLine{{Bytes: int(f.room.Memory)}}
	return line, nil
}

// noise is a set like that of the kept rows, of n nodes: as many of them train, or nearly all where those that train
// are on the disk.
func (f *fromDisk) noise(n int) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: n, Undirected: true})
	if err != nil {
		return nil, err
	}
	x := mat.New(n, f.settle.Columns(f.store))
	mat.Normal(x, 0, 1, 1)
	d := &dataset.Dataset{Name: f.store.Name, Graph: g, Settled: f.settle.Settled(), Metric: f.store.Metric,
		Features: []dataset.Matrix{{Rows: n, Cols: x.Cols(), Values: x.Slice()}},
		Labels:   dataset.Labels{Class: make([]int32, n), Names: f.store.Classes}, Splits: make([]dataset.Split, 1)}
	classes := len(f.store.Classes)
	train := min(n*f.plan.Trains/f.plan.Kept, n-4*classes)
	for v := range int32(n) {
		d.Labels.Class[v] = v % int32(classes)
		switch split := &d.Splits[0]; {
		case int(v) < train:
			split.Train = append(split.Train, v)
		case int(v)/classes%2 == 0:
			split.Valid = append(split.Valid, v)
		default:
			split.Test = append(split.Test, v)
		}
	}
	return d, nil
}
