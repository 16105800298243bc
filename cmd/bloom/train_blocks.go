package main

import (
	"context"
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
	"github.com/bloomgml/bloom/internal/settle"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
)

// fromDisk is a training whose graph stays on the disk: the descent is run once, and what it makes of the rows of
// labelled nodes is trained on.
type fromDisk struct {
	store  *blocks.Store
	config *config.Config
	settle settle.Options
	plan   settle.Plan
	kept   int
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
	if settle.Whole(s, c.Model.Hidden) <= budget.Limit() {
		return nil, s.Close()
	}
	f := &fromDisk{store: s, config: c}
	asked := slices.ContainsFunc(o.Set, func(x string) bool { return strings.HasPrefix(x, "model.before=") })
	if c.Model.Before > 1 && !asked {
		notice(cmd)(fmt.Sprintf("π has one layer, where the recipe has %d: the descent of a linear π can be run once",
			c.Model.Before))
		c.Model.Before = 1
	}
	if err := f.prepare(); err != nil {
		_ = s.Close() // the error that matters is err
		return nil, runError(cmd, err)
	}
	return f, nil
}

// prepare finds out what is to be done.
func (f *fromDisk) prepare() error {
	s, c := f.store, f.config
	l, err := nodes.NewLinear(*c, s.Columns, s.Classes)
	if err != nil {
		return err
	}
	f.settle = settle.Options{Local: l.Local, Steps: l.Steps, Energy: l.Energy, Scale: c.Data.Scale,
		Split: c.Data.Split, Seed: c.Train.Seed, Memory: budget.Limit()}
	if f.kept, err = settle.Kept(s, f.settle); err != nil {
		return err
	}
	f.plan, err = settle.NewPlan(s, f.kept, f.settle)
	return err
}

// String says what is done with how much.
func (f *fromDisk) String() string {
	return fmt.Sprintf("%s nodes and %s edges on disk: %d steps are run once, %d of %d columns at a time within %s, "+
		"and %s rows are trained on", terminal.Thousands(f.store.Nodes), terminal.Thousands(int(f.store.Edges)),
		f.settle.Steps, f.plan.Width, f.store.Columns+1, budget.Text(f.plan.Memory), terminal.Thousands(f.kept))
}

// settledName is the file of a run folder with the rows that were trained on.
const settledName = "settled.bloom"

// run settles into the run folder. The config then names what is there, and training is as on any other set.
func (f *fromDisk) run(cmd *cobra.Command, dir string) (*dataset.Dataset, error) {
	defer f.store.Close()
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		return nil, fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	notice(cmd)(f.String())
	debug.SetMemoryLimit(f.plan.Heap())
	line := terminal.NewProgress(cmd.ErrOrStderr(), "settling")
	f.settle.Progress = func(done, total int64) { line.Set(done, total, "") }
	d, err := settle.Run(cmd.Context(), f.store, f.settle)
	line.End()
	if err != nil {
		return nil, runError(cmd, err)
	}
	d.Notes = append(d.Notes, f.String())
	path := filepath.Join(dir, settledName)
	if err := native.Write(path, d); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // the states of all nodes are no longer needed
	f.config.Data.Name, f.config.Data.Split = path, 0
	return native.Read(path)
}

// estimate is what it would need. An epoch is timed on some rows of noise.
func (f *fromDisk) estimate(ctx context.Context) (*estimateLine, error) {
	defer f.store.Close()
	seconds, err := settle.Probe(ctx, f.store, f.plan, f.settle, time.Second)
	if err != nil {
		return nil, err
	}
	d, err := f.noise(min(f.kept, 1<<15))
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
	e.Epoch *= float64(f.kept) / float64(d.Graph.NumNodes())
	line.fill(&e.Estimate)
	line.Memory = []memoryLine{{Bytes: int(f.plan.Memory)}}
	line.Seconds += seconds
	return line, nil
}

// noise is a set like that of the kept rows, of n nodes.
func (f *fromDisk) noise(n int) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: n, Undirected: true})
	if err != nil {
		return nil, err
	}
	x := mat.New(n, f.store.Columns+1)
	mat.Normal(x, 0, 1, 1)
	d := &dataset.Dataset{Name: f.store.Name, Graph: g, Settled: f.settle.Energy, Metric: f.store.Metric,
		Features: []dataset.Matrix{{Rows: n, Cols: f.store.Columns + 1, Values: x.Slice()}},
		Labels:   dataset.Labels{Class: make([]int32, n), Names: f.store.Classes}, Splits: make([]dataset.Split, 1)}
	for v := range int32(n) {
		d.Labels.Class[v] = v % int32(len(f.store.Classes))
		switch split := &d.Splits[0]; v % 3 {
		case 0:
			split.Train = append(split.Train, v)
		case 1:
			split.Valid = append(split.Valid, v)
		default:
			split.Test = append(split.Test, v)
		}
	}
	return d, nil
}
