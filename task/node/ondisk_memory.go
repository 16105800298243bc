package node

import (
	"context"
	"os"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// whole returns the memory that training on the whole graph takes, including the end of the run and the process
// itself.
//
// Overview: peak memory is linear in the number of nodes if each has the same number of edges: the line goes through
// the peaks of two small graphs like the store, which are trained on for an epoch; the larger takes at most a quarter
// of the memory. A garbage collector with an eighth of slack is not a burden. Nothing is tried if the data and a few
// states are too much, or if there is memory for anything.
func (x *OnDisk) whole(ctx context.Context) (int64, error) {
	s, c := x.store, x.config
	least, most := x.bounds()
	switch {
	case most <= x.Memory:
		return most, nil
	case least > x.Memory && s.Typed == nil:
		return least, nil
	}
	few := max(64, min(512, int(x.Memory/(1<<10)/int64(max(1, s.Columns+c.Model.Hidden))), s.Nodes/2))
	a, err := x.tryOut(ctx, few)
	if err != nil { // of such a config, about which training says more, or of so few nodes
		return 2 * least, ctx.Err()
	}
	times := float64(x.Memory) / 4 / max(1, a.bytes)
	b, err := x.tryOut(ctx, min(s.Nodes, int(float64(few)*max(2, min(16, times)))))
	if err != nil {
		return 2 * least, ctx.Err()
	}
	slope := max(0, b.bytes-a.bytes) / max(1, b.nodes-a.nodes)
	return files.Program + int64(9./8*(b.bytes+slope*(float64(s.Nodes)-b.nodes))), nil
}

// bounds returns a lower and an upper bound for whole: the data and six matrices of states, and all that steps could
// keep of nodes and edges.
func (x *OnDisk) bounds() (least, most int64) {
	s, c := x.store, x.config
	n, width := int64(s.Nodes), int64(c.Model.Hidden)
	least = files.Program + s.Whole() + 4*6*n*width
	return least, 4*least + 4*(n+2*s.Edges)*(width+int64(len(s.Classes)))*int64(16+4*stepsOf(c))
}

// trial records the peak growth of the heap in training on some nodes.
type trial struct{ nodes, bytes float64 }

// tryOut trains on about n nodes like the store's for an epoch.
func (x *OnDisk) tryOut(ctx context.Context, n int) (trial, error) {
	before := jobs.InUse()
	d, err := x.store.Like(n)
	if err != nil {
		return trial{}, err
	}
	c := x.config
	c.Train.Epochs = min(c.Train.Epochs, 1)
	most, err := jobs.Peak(func() error { return Rehearse(ctx, c, d, x.Ended) })
	return trial{float64(d.Graph.NumNodes()), float64(most - before)}, err
}

// Rehearse trains and writes all files, in a folder that it removes: reading, compiling and writing around the epochs
// needs memory too. Of a repeat it trains the runs that hold memory at the same time: the ones that are trained
// together, and the best one before them. Before the folder is removed, ended is called unless it is nil.
func Rehearse(ctx context.Context, c config.Config, d *dataset.Dataset,
	ended func(config.Config, *dataset.Dataset, *train.Result) error) error {
	dir, remove, err := ondisk.Folder()
	if err != nil {
		return err
	}
	defer remove()
	c.Train.Repeat = min(c.Train.Repeat, max(1, c.Train.Together)+1)
	r, err := Run(ctx, c, d, Options{Options: train.Options{Dir: dir}, Energies: true})
	if err != nil || ended == nil {
		return err
	}
	return ended(c, d, r)
}

// estimate times a descent on some columns, and training on rows of noise.
func (w *once) estimate(ctx context.Context) (*train.Estimate, error) {
	seconds, err := ondisk.ProbeSettle(ctx, w.store, w.plan, w.settle, time.Second)
	if err != nil {
		return nil, err
	}
	d, err := w.noise(min(w.plan.Kept, 1<<15))
	if err != nil {
		return nil, err
	}
	c := w.config
	c.Data.Split = 0
	e, err := NewEstimate(ctx, c, d, Options{}, 0)
	if err != nil {
		return nil, err
	}
	// an epoch was timed on some rows of noise
	e.Epoch *= float64(max(w.plan.Kept, w.plan.Trains)) / float64(d.Graph.NumNodes())
	e.Memory = []train.Memory{{Bytes: int(w.plan.Memory)}}
	e.Disk, e.Before = w.plan.Disk, seconds
	return &e.Estimate, nil
}

// noise returns a set of n nodes like the set of the kept rows: the share of training nodes is the same, or nearly
// all if the training nodes are on the disk.
func (w *once) noise(n int) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: n, Undirected: true})
	if err != nil {
		return nil, err
	}
	x := mat.New(n, w.settle.Columns(w.store))
	mat.Normal(x, 0, 1, 1)
	d := &dataset.Dataset{Name: w.store.Name, Graph: g, Settled: w.settle.Settled(), Metric: w.store.Metric,
		Features: []dataset.Matrix{{Rows: n, Cols: x.Cols(), Values: x.Slice()}},
		Labels:   dataset.Labels{Class: make([]int32, n), Names: w.store.Classes}, Splits: make([]dataset.Split, 1)}
	classes := len(w.store.Classes)
	train := min(n*w.plan.Trains/w.plan.Kept, n-4*classes)
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

// estimate extrapolates from some subgraphs, and from the one that is evaluated.
func (w *parts) estimate(ctx context.Context) (*train.Estimate, error) {
	g := w.OnDisk.parts
	g.Scratch, g.Some = os.TempDir(), 4
	d, err := g.Dataset()
	if err != nil {
		return nil, err
	}
	c := w.config
	c.Data.Split, c.Data.Scale = 0, "none"
	begin := time.Now()
	e, err := NewEstimate(ctx, c, d, Options{Disk: w.OnDisk}, 0)
	if err != nil {
		return nil, err
	}
	e.Disk, e.Before = g.Disk(), time.Since(begin).Seconds()
	return &e.Estimate, nil
}
