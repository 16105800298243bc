package ondisk_test

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// configOf is the config of a recipe with a linear π, and settings key=value.
func configOf(t *testing.T, recipe string, set ...string) config.Config {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: "csbm", Set: append([]string{"model.before=1"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

// stored is a generated set in memory and in blocks.
func stored(t *testing.T, ref string) (*dataset.Dataset, *ondisk.Store) {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d, inBlocks(t, d)
}

// inBlocks is a set in blocks.
func inBlocks(t *testing.T, d *dataset.Dataset) *ondisk.Store {
	t.Helper()
	src, err := ondisk.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := ondisk.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// settled is the set of kept rows.
func settled(t *testing.T, s *ondisk.Store, c config.Config, memory int64) *dataset.Dataset {
	t.Helper()
	l, err := node.NewDisk(c, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ondisk.Settle(context.Background(), s, ondisk.SettleOptions{Local: l.Local, Steps: l.Steps,
		Energy: l.Energy,
		Scale:  c.Data.Scale, Memory: memory, Spread: l.Spread})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const plenty = 1 << 30

// TestWeightsCarryOver compares predictions and derivatives of the full graph with those on settled rows, for the same
// weights, none of which is 0: both normalisations, all scalings, panels of one column and of all.
func TestWeightsCarryOver(t *testing.T) {
	d, s := stored(t, "csbm:nodes=400,features=7,classes=3,degree=6")
	k, err := ondisk.Choose(s, ondisk.SettleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wide, err := ondisk.NewSettlePlan(s, k, ondisk.SettleOptions{Memory: plenty})
	if err != nil {
		t.Fatal(err)
	}
	narrow := wide.Memory - 5*12*int64(s.Nodes)
	if p, err := ondisk.NewSettlePlan(s, k,
		ondisk.SettleOptions{Memory: narrow}); err != nil || p.Panels < 2 || p.Width < 2 {
		t.Fatalf("%+v, %v: want several panels", p, err)
	}
	for _, c := range []struct {
		set    []string
		memory int64
	}{
		{nil, plenty}, {nil, narrow},
		{[]string{"energy.f.norm=symmetric", "energy.steps=5"}, plenty},
		{[]string{"energy.f.norm=symmetric", "data.scale=columns"}, narrow},
		{[]string{"model.after=0", "data.scale=rows"}, plenty},
	} {
		if c.set = append(c.set, "model.input_dropout=0"); c.set[0] != "model.after=0" {
			c.set = append(c.set, "model.dropout=0")
		}
		cfg := configOf(t, "base", c.set...)
		whole, err := node.Build(cfg, d, train.Trial{Seed: 1}, node.Options{})
		if err != nil {
			t.Fatal(c.set, err)
		}
		rows, err := node.Build(cfg, settled(t, s, cfg, c.memory), train.Trial{Seed: 1}, node.Options{})
		if err != nil {
			t.Fatal(c.set, err)
		}
		for i, p := range whole.Job().Params() {
			mat.Uniform(p.Value(), -1, 1, uint64(i))
			mat.Copy(rows.Job().Params()[i].Value(), p.Value())
		}
		for _, x := range []*node.Task{whole, rows} {
			if err := x.Job().Batch(1, 0); err != nil {
				t.Fatal(err)
			}
		}
		settleSame(t, "the loss", rows.Job().Loss().Slice(), whole.Job().Loss().Slice())
		for i, g := range whole.Job().Grads() {
			settleSame(t, whole.Job().Params()[i].Name, rows.Job().Grads()[i].Slice(), g.Slice())
		}
		a, err1 := rows.Predict()
		b, err2 := whole.Predict()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		settleSame(t, "logits", a.Logits.Slice(), b.Logits.Slice())
	}
}

// settleSame compares lists up to the rounding of sums in another order: 1e-4 of the largest number.
func settleSame(t *testing.T, what string, got, want []mat.Real) {
	t.Helper()
	most, off := 0.0, 0.0
	for i, w := range want {
		most = max(most, math.Abs(float64(w)))
		off = max(off, math.Abs(float64(got[i]-w)))
	}
	if len(got) != len(want) || !(off <= 1e-4*most) {
		t.Errorf("%s: %d and %d numbers, %v apart of %v", what, len(got), len(want), off, most)
	}
}

// TestPieces compares losses in pieces with that of all rows at once, and of the whole expression.
func TestPieces(t *testing.T) {
	d, s := stored(t, "csbm:nodes=70000,features=2,train=0.5,degree=2")
	cfg := configOf(t, "base", "model.input_dropout=0", "model.dropout=0", "model.hidden=4")
	rows, err := node.Build(cfg, settled(t, s, cfg, plenty), train.Trial{Seed: 1}, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := node.Build(cfg, d, train.Trial{Seed: 1}, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*node.Task{rows, whole} {
		if err := x.Job().Batch(1, 0); err != nil {
			t.Fatal(err)
		}
	}
	settleSame(t, "the loss", rows.Job().Loss().Slice(), whole.Job().Loss().Slice())
	for i, g := range whole.Job().Grads() {
		settleSame(t, whole.Job().Params()[i].Name, rows.Job().Grads()[i].Slice(), g.Slice())
	}
}

// TestConstant wants P 1 to be 1 where rows are not scaled: the energy of a constant is 0.
func TestConstant(t *testing.T) {
	_, s := stored(t, "csbm:nodes=100,features=3")
	x := settled(t, s, configOf(t, "base"), plenty).Features[0]
	for i := range x.Rows {
		if one := float64(x.Values[i*4+3]); math.Abs(one-1) > 1e-5 { // 16 steps of rounding
			t.Fatalf("row %d has %v", i, one)
		}
	}
}

// TestStates: states of all nodes, in one panel or some columns at a time, are the rows that are kept where all are. π
// is the identity, which is asked for some rows of features at a time.
func TestStates(t *testing.T) {
	_, s := stored(t, "csbm:nodes=900,features=37,classes=2,train=0.4")
	l, err := node.NewDisk(configOf(t, "base", "energy.f.norm=symmetric"), s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	o := ondisk.SettleOptions{Local: l.Local, Steps: l.Steps, Energy: l.Energy, Memory: plenty}
	want, err := ondisk.Settle(t.Context(), s, o)
	if err != nil || want.Graph.NumNodes() != s.Nodes {
		t.Fatal(err)
	}
	of := ondisk.States{Store: s, SettleOptions: o, Context: t.Context(), Scratch: t.TempDir()}
	for _, of.Memory = range []int64{plenty, 160 << 20} {
		got, panels := []mat.Real(nil), 0
		each := func() error {
			return of.Each(s.Columns, func(x, to []mat.Real) error {
				panels++
				if copy(to, x) != len(x) || len(to) != len(x) {
					t.Error("π has other rows")
				}
				return nil
			}, func(_ int, h []mat.Real) error { got = append(got, h...); return nil })
		}
		err := each()
		for ; err != nil && strings.Contains(err.Error(), "need at least"); err = each() {
			of.Memory += 8 << 10 // a column takes 10.5 KiB: the first that is enough is enough for few
		}
		if err != nil || len(got) != s.Nodes*s.Columns || (of.Memory == plenty) != (panels == s.Blocks()) {
			t.Fatalf("%d states in %d panels, %v", len(got), panels/s.Blocks(), err)
		}
		for i, x := range got {
			v, j := i/s.Columns, i%s.Columns
			if y := want.Features[0].Values[v*(s.Columns+1)+j]; math.Abs(float64(x-y)) > 1e-5 {
				t.Fatalf("%d bytes: column %d of node %d is %v, want %v", of.Memory, j, v, x, y)
			}
		}
	}
}

// TestRefused wants the reason why rows cannot be settled.
func TestRefused(t *testing.T) {
	_, s := stored(t, "csbm:nodes=100,features=3")
	d := settled(t, s, configOf(t, "base"), plenty)
	other := configOf(t, "base", "energy.steps=3")
	if _, err := node.Build(other, d, train.Trial{}, node.Options{}); err == nil ||
		!strings.Contains(err.Error(), "cannot be used with that of") {
		t.Error(err)
	}
	l, err := node.NewDisk(other, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	o := ondisk.SettleOptions{Local: l.Local, Steps: 3, Memory: 1 << 20}
	if _, err := ondisk.Settle(context.Background(), s, o); err == nil || !strings.Contains(err.Error(),
		"need at least") {
		t.Error(err)
	}
}

// TestThinned wants few nodes to validate and test where few are asked for, and all that train.
func TestThinned(t *testing.T) {
	whole, s := stored(t, "csbm:nodes=5000,features=2,train=0.2")
	l, err := node.NewDisk(configOf(t, "base"), s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	o := ondisk.SettleOptions{Local: l.Local, Steps: 1, Most: 300, Memory: plenty}
	d, err := ondisk.Settle(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	split := d.Splits[0]
	if len(split.Train) != 1000 || len(split.Valid) < 200 || len(split.Valid) > 400 || len(split.Test) > 400 {
		t.Errorf("%d train, %d valid, %d test", len(split.Train), len(split.Valid), len(split.Test))
	}
	for _, i := range split.Test[:10] {
		v := whole.IDs.Find(d.IDs.At(i), 5000)
		if len(v) != 1 || whole.Labels.Class[v[0]] != d.Labels.Class[i] {
			t.Fatalf("row %d is %q, of another class", i, d.IDs.At(i))
		}
	}
}
