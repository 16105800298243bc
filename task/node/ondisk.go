package node

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

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// OnDisk is a folder of blocks that is trained on without reading the whole graph into memory. The model decides how:
//
//	once   a linear descent is run once, some columns at a time, and the rows of labelled nodes are trained on
//	parts  any other model, and any model for which train.sample.batch is set, trains on subgraphs
//
// Prepare writes what a run is about into its folder, a data set like any other; Options.Disk then trains with it.
type OnDisk struct {
	store  *ondisk.Store
	config config.Config
	needs  int64 // bytes of training in memory
	DiskOptions

	how    way             // nil for a run that was opened again
	parts  *ondisk.Excerpt // that is trained on in subgraphs; nil for others
	rows   *ondisk.Rows    // of all training nodes, if they do not fit into memory; otherwise nil
	states *ondisk.States  // of all nodes, for predictions; nil for a run that is trained
}

// DiskOptions say with how much memory a graph on the disk is trained on, and who is told.
type DiskOptions = task.DiskOptions

// way is how a graph on the disk is trained on.
type way interface {
	fmt.Stringer
	// keep computes what the run is about: the rows or the subgraph that metrics are measured on. Files for the time of
	// training lie in dir.
	keep(ctx context.Context, dir string) (*dataset.Dataset, error)
	// file returns the name of its file in the run folder.
	file() string
	estimate(ctx context.Context) (*train.Estimate, error)
}

// PlaceOnDisk opens the folder of blocks that c names, and chooses how to train on it. It returns nil if training on
// the whole graph fits into the memory; the collector is then kept to that. For errors see Run.
func PlaceOnDisk(ctx context.Context, c config.Config, folder string, o DiskOptions) (_ *OnDisk, err error) {
	x := &OnDisk{config: c, DiskOptions: o}
	if x.Memory == 0 {
		x.Memory = files.MemoryLimit()
	}
	if x.store, err = ondisk.Open(folder); err != nil {
		return nil, err
	}
	fits, err := x.fits(ctx)
	if err == nil && !fits {
		x.shorten()
		err = x.choose(ctx)
	}
	if err != nil || fits {
		return nil, errors.Join(err, x.store.Close())
	}
	return x, nil
}

// fits reports whether training on the whole graph does. A graph with types of nodes has no other way.
func (x *OnDisk) fits(ctx context.Context) (bool, error) {
	files.KeepTo(files.FixedMemory())
	need, err := x.whole(ctx)
	if x.needs = need; err != nil || need <= x.Memory {
		return true, err
	}
	if x.store.Typed != nil {
		return false, files.Errorf(x.store.Dir(), "a graph with several node types or relations can only be trained "+
			"in memory, which takes about %s (--memory %s allows "+
			"it)", files.BytesText(need), files.BytesText(need+need/8))
	}
	return false, nil
}

// choose finds the way for the model.
func (x *OnDisk) choose(ctx context.Context) error {
	s, c := x.store, x.config
	disk, err := NewDisk(c, s.Columns, s.Classes)
	var other *train.BadSetting
	switch {
	case c.Train.Sample.Asked() || errors.As(err, &other):
		return x.inParts(ctx, err)
	case err != nil:
		return err
	}
	w := &once{OnDisk: x}
	x.how = w
	w.settle, w.plan, err = ondisk.FitSettle(s, x.onceOptions(disk, c.Data.Split))
	return err
}

// inParts prepares training on subgraphs; why says why there is no other way, nil if subgraphs were asked for.
func (x *OnDisk) inParts(ctx context.Context, why error) error {
	c := x.config
	if c.Data.Corrupt != "" {
		return &train.BadSetting{Key: "data.corrupt", Value: c.Data.Corrupt, Want: "none, because the graph is on disk"}
	}
	if c.Data.Decay > 0 {
		return &train.BadSetting{Key: "data.decay", Value: c.Data.Decay.String(),
			Want: "0s, because the graph is on disk"}
	}
	c.Train.Sample.Batch = max(1, c.Train.Sample.Batch)
	var bad *train.BadSetting
	if _, err := NewDisk(c, x.store.Columns, x.store.Classes); errors.As(err, &bad) &&
		strings.HasPrefix(bad.Key, "train.sample.") {
		return cmp.Or(why, err)
	}
	var err error
	if x.parts, err = ondisk.NewExcerpt(ctx, x.store, x.partOptions(x.config.Data)); err != nil {
		return err
	}
	if err := x.parts.Fit(); err != nil {
		return err
	}
	x.config.Train.Sample.Batch, x.how = x.parts.Batch, &parts{x, why}
	return nil
}

// partOptions returns how the config draws subgraphs, of whose split and with which scaling of features.
func (x *OnDisk) partOptions(of config.Data) ondisk.ExcerptOptions {
	c := x.config
	return ondisk.ExcerptOptions{SampleOptions: ondisk.SampleOptions(c.Train.Sample), Scale: of.Scale, Split: of.Split,
		Seed: c.Train.Seed, Memory: x.Memory, Width: c.Model.Hidden, Steps: stepsOf(c)}
}

// onceOptions returns how the config runs a descent once, for a split of the graph.
func (x *OnDisk) onceOptions(d *Disk, split int) ondisk.SettleOptions {
	return ondisk.SettleOptions{Local: d.Local, Steps: d.Steps, Energy: d.Energy, Scale: x.config.Data.Scale,
		Split: split,
		Most:  x.Most, Seed: x.config.Train.Seed, Memory: x.Memory, Spread: d.Spread, Progress: x.Progress}
}

// stepsOf returns how many steps or layers a network has in all.
func stepsOf(c config.Config) int {
	if c.Energy == nil {
		return c.Model.Layers
	}
	return c.Energy.L * max(1, c.Stack.Levels)
}

// shorten replaces a π of several layers that nobody asked for by one layer if the descent can then be run once.
func (x *OnDisk) shorten() {
	c := x.config
	if x.Layers || c.Model.Before < 2 || c.Train.Sample.Asked() {
		return
	}
	c.Model.Before = 1
	if _, err := NewDisk(c, x.store.Columns, x.store.Classes); err != nil {
		return
	}
	x.notify(fmt.Sprintf("π has one layer instead of the recipe's %d, so that the descent can be run once (--set "+
		"model.before=%d keeps them and trains on mini-batches)", x.config.Model.Before,
		x.config.Model.Before))
	x.config = c
}

// notify calls Notice.
func (x *OnDisk) notify(text string) {
	if x.Notice != nil {
		x.Notice(text)
	}
}

// Needs returns about how many bytes training on the whole graph in memory takes.
func (x *OnDisk) Needs() int64 { return x.needs }

// Need returns about how many bytes training on the whole of a folder of blocks in memory takes.
func Need(ctx context.Context, c config.Config, folder string, o DiskOptions) (bytes int64, err error) {
	x := &OnDisk{config: c, DiskOptions: o}
	if x.store, err = ondisk.Open(folder); err != nil {
		return 0, err
	}
	defer x.store.Close()
	return x.whole(ctx)
}

// Name returns the name of the data.
func (x *OnDisk) Name() string { return x.store.Name }

// Config returns the config that is trained: after Prepare it names the data in the run folder.
func (x *OnDisk) Config() config.Config { return x.config }

// String says what is done with how much.
func (x *OnDisk) String() string {
	return fmt.Sprintf("%s nodes and %s edges on disk: %v", show.Thousands(x.store.Nodes),
		show.Thousands(int(x.store.Edges)), x.how)
}

// Prepare writes the data of the run into a run folder and returns it. The config then names that data.
func (x *OnDisk) Prepare(ctx context.Context, dir string) (*dataset.Dataset, error) {
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		return nil, fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	x.notify(x.String())
	d, err := x.how.keep(ctx, dir)
	if err != nil {
		return nil, err
	}
	d.Notes = append(d.Notes, x.String())
	path := filepath.Join(dir, x.how.file())
	if err := native.Write(path, d); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // return unused memory
	if err := noteGraph(dir, x.store.Dir(), x.config.Data); err != nil {
		return nil, err
	}
	if x.config.Data.Name, x.config.Data.Split = path, 0; x.parts != nil {
		x.config.Data.Scale = "none" // they are scaled
	}
	return native.Read(path)
}

// Estimate says what training would need. It closes the graph.
func (x *OnDisk) Estimate(ctx context.Context) (*train.Estimate, error) {
	defer x.Close()
	e, err := x.how.estimate(ctx)
	if err == nil {
		e.Way = x.String()
	}
	return e, err
}

// Close removes temporary files of training, and closes the graph. It does nothing on nil.
func (x *OnDisk) Close() error {
	if x == nil {
		return nil
	}
	var errs []error
	if x.rows != nil {
		errs = append(errs, x.rows.Close())
	}
	if x.parts != nil {
		return errors.Join(append(errs, x.parts.Close())...) // and the store
	}
	if x.store != nil {
		errs = append(errs, x.store.Close())
	}
	return errors.Join(errs...)
}

// once runs a linear descent once.
type once struct {
	*OnDisk
	settle ondisk.SettleOptions
	plan   ondisk.SettlePlan
}

func (w *once) file() string { return "settled.bloom" }

func (w *once) String() string {
	text := fmt.Sprintf("%d steps are run once, %d of %d columns at a time within %s, and ", w.settle.Steps,
		w.plan.Width, w.settle.Columns(w.store), files.BytesText(w.plan.Memory))
	if w.settle.Thin {
		return text + fmt.Sprintf("%s rows are trained on, which are read from the disk in every epoch",
			show.Thousands(w.plan.Trains))
	}
	return text + show.Thousands(w.plan.Kept) + " rows are trained on"
}

// keep returns the set of rows after the descent; if the training rows do not fit, they are in an unnamed file of the
// run folder.
func (w *once) keep(ctx context.Context, dir string) (_ *dataset.Dataset, err error) {
	debug.SetMemoryLimit(w.plan.Heap())
	if w.settle.Thin {
		if w.rows, err = ondisk.NewRows(dir); err != nil {
			return nil, err
		}
		w.settle.Train = w.rows
	}
	return ondisk.Settle(ctx, w.store, w.settle)
}

// parts trains on subgraphs.
type parts struct {
	*OnDisk
	why error // there is no other way; nil if subgraphs were asked for
}

func (w *parts) file() string { return "part.bloom" }

func (w *parts) String() string {
	s := w.config.Train.Sample
	drawn := fmt.Sprintf("with up to %d neighbours per node and hop, %d hops", s.Fanout, s.Hops)
	if s.Clusters > 0 {
		drawn = fmt.Sprintf("in whole clusters, %s of them in all", show.Thousands(s.Clusters))
	}
	text := fmt.Sprintf("training uses mini-batches of %s training nodes %s, within %s; so does evaluation",
		show.Thousands(s.Batch), drawn, files.BytesText(w.OnDisk.parts.Memory))
	if w.why != nil {
		text += " (for another way: " + w.why.Error() + ")"
	}
	return text
}

func (w *parts) keep(_ context.Context, dir string) (*dataset.Dataset, error) {
	g := w.OnDisk.parts
	g.Scratch = dir
	files.KeepTo(g.Memory)
	return g.Dataset()
}

// sameClasses returns an error for a folder whose classes differ from the run's.
func sameClasses(s *ondisk.Store, d *dataset.Dataset) error {
	if slices.Equal(s.Classes, d.Labels.Names) {
		return nil
	}
	return files.Errorf(s.Dir(), "its classes are %q, but the run has %q", s.Classes, d.Labels.Names)
}
