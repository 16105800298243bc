package nodes_test

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/run"
)

const plenty = 1 << 30

// stored is a generated set in memory and in blocks.
func stored(t *testing.T, ref string) (*dataset.Dataset, *blocks.Store) {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d, inBlocks(t, d, 64)
}

// inBlocks is a set in blocks of so many rows.
func inBlocks(t *testing.T, d *dataset.Dataset, rows int) *blocks.Store {
	t.Helper()
	src, err := blocks.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := blocks.Build(dir, src, blocks.Options{Rows: rows}); err != nil {
		t.Fatal(err)
	}
	s, err := blocks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// configOf is the config of a recipe for data, with settings key=value.
func configOf(t *testing.T, recipe, data string, set ...string) config.Config {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

// relaxed is the graph of s and the set of the rows that are looked at.
func relaxed(t *testing.T, s *blocks.Store, c config.Config, o relax.Options) (*relax.Graph, *dataset.Dataset) {
	t.Helper()
	disk, err := nodes.NewDisk(c, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	if o.Scratch, o.Scale = t.TempDir(), c.Data.Scale; o.Memory == 0 {
		o.Memory = plenty
	}
	g, err := relax.NewGraph(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	d, err := g.Dataset(disk.Energy)
	if err != nil {
		t.Fatal(err)
	}
	return g, d
}

// apart is how far got is from want, relative to the norm of want.
func apart(got, want []mat.Real) float64 {
	off, size := 0.0, 0.0
	for i, w := range want {
		off += math.Pow(float64(got[i]-w), 2)
		size += math.Pow(float64(w), 2)
	}
	return math.Sqrt(off / size)
}

// TestEqualsImplicit compares states, loss and derivatives with those of the whole graph in memory, many steps and the
// implicit adjoint, for the same weights, in blocks of 64 of the 400 nodes: all penalties, η, both normalisations, a
// deep π, a trained λ, panels of few columns.
func TestEqualsImplicit(t *testing.T) {
	d, s := stored(t, "csbm:nodes=400,features=7,classes=3,degree=6")
	wide, _ := relaxed(t, s, configOf(t, "robust", "csbm"), relax.Options{Memory: plenty})
	all, err := wide.NewPlan(16, false)
	if err != nil {
		t.Fatal(err)
	}
	narrow := all.Memory - 9*16*int64(s.Nodes)
	for _, c := range []struct {
		recipe string
		set    []string
		memory int64
	}{
		{"robust", nil, plenty}, {"robust", nil, narrow},
		{"robust-logcosh", []string{"energy.f.norm=symmetric"}, narrow},
		{"base", []string{"model.learn_lambda=true"}, narrow},
		{"base", []string{"energy.eta=nonnegative", "energy.f.norm=symmetric"}, plenty},
		{"robust", []string{"model.learn_lambda=true", "energy.eta=nonnegative", "model.before=1"}, plenty},
	} {
		set := append([]string{"model.input_dropout=0", "model.dropout=0", "model.adjoint=implicit", "energy.steps=600",
			"model.hidden=16"}, c.set...)
		cfg := configOf(t, c.recipe, "csbm", set...)
		whole, err := nodes.Build(cfg, d, run.Trial{Seed: 1}, nodes.Options{})
		if err != nil {
			t.Fatal(c, err)
		}
		g, rows := relaxed(t, s, cfg, relax.Options{Memory: c.memory, Tolerance: 1e-5, Sweeps: 400})
		if p, err := g.NewPlan(16, false); err != nil || p.Panels > 1 != (c.memory == narrow) {
			t.Fatalf("%+v, %v: want several panels where there is little memory", p, err)
		}
		disk, err := nodes.Build(cfg, rows, run.Trial{Seed: 1}, nodes.Options{Disk: nodes.OnDiskOf(g, nil)})
		if err != nil {
			t.Fatal(c, err)
		}
		compareOnDisk(t, c.recipe+" "+strings.Join(c.set, " "), whole, disk)
	}
}

// compare wants two tasks with the same parameters to have the same loss, derivatives and logits: to 1e-3, a hundred
// times the certificate, as Huber has directions in which the energy is nearly flat.
func compareOnDisk(t *testing.T, what string, whole, disk *nodes.Task) {
	t.Helper()
	at := map[string]int{}
	for i, p := range whole.Job().Params() {
		mat.Uniform(p.Value(), -1, 1, uint64(i))
		at[p.Name] = i
	}
	for _, p := range disk.Job().Params() {
		mat.Copy(p.Value(), whole.Job().Params()[at[p.Name]].Value())
	}
	for _, x := range []*nodes.Task{whole, disk} {
		if err := x.Job().Batch(1, 0); err != nil {
			t.Fatal(what, err)
		}
	}
	if off := apart(disk.Job().Loss().Slice(), whole.Job().Loss().Slice()); !(off < 1e-3) {
		t.Errorf("%s: losses %v and %v", what, disk.Job().Loss(), whole.Job().Loss())
	}
	for i, p := range disk.Job().Params() {
		want := whole.Job().Grads()[at[p.Name]].Slice()
		if off := apart(disk.Job().Grads()[i].Slice(), want); !(off < 1e-3) {
			t.Errorf("%s: derivatives to %s are %.2g apart", what, p.Name, off)
		}
	}
	a, err1 := disk.Predict()
	b, err2 := whole.Predict()
	if err1 != nil || err2 != nil {
		t.Fatal(what, err1, err2)
	}
	if off := apart(a.Logits.Slice(), b.Logits.Slice()); !(off < 1e-3) {
		t.Errorf("%s: logits are %.2g apart", what, off)
	}
}

// begun is a task on the graph of s after its first derivatives.
func begun(t *testing.T, s *blocks.Store, c config.Config) (*relax.Graph, *nodes.Task) {
	t.Helper()
	g, rows := relaxed(t, s, c, relax.Options{})
	task, err := nodes.Build(c, rows, run.Trial{Seed: 1}, nodes.Options{Disk: nodes.OnDiskOf(g, nil)})
	if err == nil {
		err = task.Job().Batch(1, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g, task
}

// TestConverges wants both certificates within the sweeps of an epoch where nodes have twenty neighbours and some have
// many more, and a sum over neighbours is not normalised: there momentum over rows that were overwritten one by one had
// left the minimum for good.
func TestConverges(t *testing.T) {
	d, s := stored(t, "csbm:nodes=3000,features=8,classes=4,degree=20")
	for _, set := range [][]string{nil, {"energy.eta=nonnegative"}, {"energy.f.norm=symmetric"}} {
		cfg := configOf(t, "robust", "csbm", append([]string{"model.hidden=8", "model.before=2"}, set...)...)
		g, task := begun(t, s, cfg)
		if _, err := task.Predict(); err != nil {
			t.Fatal(err)
		}
		t.Log(d.Name, set, g.Found, g.Adjoint)
		for _, c := range []relax.Certificate{g.Found, g.Adjoint} {
			if !(c.Residual <= 3e-5) || c.Sweeps > 100 {
				t.Errorf("%v: %+v, want 3e-5 in 100 sweeps", set, c)
			}
		}
	}
}

// TestFlat has Huber flat in most entries of components of some nodes: S has no bound in those where it is flat in all
// of them, and derivatives must be finite all the same.
func TestFlat(t *testing.T) {
	_, s := stored(t, "csbm:nodes=600,features=8,classes=4,degree=1")
	cfg := configOf(t, "robust", "csbm", "model.hidden=8", "model.input_dropout=0", "model.dropout=0",
		"energy.kappa.threshold=0.1")
	g, task := begun(t, s, cfg)
	if !(g.Adjoint.Residual < 1e-3) {
		t.Errorf("%+v, want 1e-3", g.Adjoint)
	}
	for i, grad := range task.Job().Grads() {
		for _, x := range grad.Slice() {
			if !(math.Abs(float64(x)) < 100) {
				t.Fatalf("a derivative to %s is %v", task.Job().Params()[i].Name, x)
			}
		}
	}
}
