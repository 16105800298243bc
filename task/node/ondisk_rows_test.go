package node_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
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

const plenty = 1 << 30

// stored is a generated set in memory and in blocks.
func stored(t *testing.T, ref string) (*dataset.Dataset, *ondisk.Store) {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d, inBlocks(t, d, 64)
}

// inBlocks is a set in blocks of rows rows.
func inBlocks(t *testing.T, d *dataset.Dataset, rows int) *ondisk.Store {
	t.Helper()
	src, err := ondisk.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{Rows: rows}); err != nil {
		t.Fatal(err)
	}
	s, err := ondisk.Open(dir)
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

// difference is how far got is from want, relative to the norm of want.
func difference(got, want []mat.Real) float64 {
	off, size := 0.0, 0.0
	for i, w := range want {
		off += math.Pow(float64(got[i]-w), 2)
		size += math.Pow(float64(w), 2)
	}
	return math.Sqrt(off / size)
}

// once is how c settles s.
func once(t *testing.T, s *ondisk.Store, c config.Config) ondisk.SettleOptions {
	t.Helper()
	l, err := node.NewDisk(c, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	return ondisk.SettleOptions{Local: l.Local, Steps: l.Steps, Energy: l.Energy, Scale: c.Data.Scale, Spread: l.Spread,
		Most: 500, Memory: plenty}
}

// learnt are the weights and the scores after some epochs on the rows of o.
func learnt(t *testing.T, s *ondisk.Store, c config.Config, o ondisk.SettleOptions) (weights [][]mat.Real,
	x train.Record) {
	t.Helper()
	d, err := ondisk.Settle(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	task, err := node.Build(c, d, train.Trial{Seed: 1}, node.Options{Disk: node.OnDiskOf(o.Train)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := train.NewLoop(c.Train, task.Job())
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if x, err = l.Evaluate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range task.Job().Params() {
		weights = append(weights, slices.Clone(p.Value().Slice()))
	}
	return weights, x
}

// TestRowsOnDisk: rows that are read from the disk, in several pieces, train the weights of rows in memory, bit for
// bit, with dropout of features and without; in several panels, whose width matters to rounding, nearly these. What
// validates and tests is the same, and of the rows that train few are looked at.
func TestRowsOnDisk(t *testing.T) {
	_, s := stored(t, "csbm:nodes=80000,features=12,train=0.45,degree=2")
	for _, dropout := range []string{"0", "0.4"} {
		c := configOf(t, "base", "csbm", "model.before=1", "model.dropout=0.1", "model.hidden=8",
			"model.input_dropout="+dropout)
		o := once(t, s, c)
		want, scores := learnt(t, s, c, o)
		o.Thin = true
		k, err := ondisk.Choose(s, o)
		if err != nil {
			t.Fatal(err)
		}
		wide, err := ondisk.NewSettlePlan(s, k, o)
		if err != nil {
			t.Fatal(err)
		}
		narrow := wide.Memory - 5*12*int64(s.Nodes)
		for _, memory := range []int64{plenty, narrow} {
			o.Memory = memory
			if p, err := ondisk.NewSettlePlan(s, k, o); err != nil || (memory == narrow) != (p.Panels > 1) {
				t.Fatalf("%+v, %v", p, err)
			}
			if o.Train, err = ondisk.NewRows(t.TempDir()); err != nil {
				t.Fatal(err)
			}
			got, now := learnt(t, s, c, o)
			for i := range want {
				if memory == plenty && !slices.Equal(got[i], want[i]) {
					t.Errorf("dropout %s: parameter %d differs", dropout, i)
				}
				if off := difference(got[i], want[i]); off > 1e-4 { // sums in another order
					t.Errorf("dropout %s: parameter %d is %v away", dropout, i, off)
				}
			}
			if o.Train.Count != 36000 || memory == plenty && (now.Valid != scores.Valid || now.Test != scores.Test) {
				t.Errorf("%+v of %d rows, want %+v", now, o.Train.Count, scores)
			}
			if err := o.Train.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFit: rows that train are on the disk where they do not fit, or leave no room for panels, and nowhere else; and
// what is held then does not depend on how many there are.
func TestFit(t *testing.T) {
	c := configOf(t, "base", "csbm", "model.before=1")
	held := map[string]int64{}
	for _, train := range []string{"0.2", "0.45"} {
		_, s := stored(t, "csbm:nodes=70000,features=3,degree=2,train="+train)
		o := once(t, s, c)
		o, all, err := ondisk.FitSettle(s, o)
		if err != nil || o.Thin || all.Kept <= all.Trains {
			t.Fatalf("%+v, %v, thinned %t", all, err, o.Thin)
		}
		o.Memory = all.Memory - 6<<20
		o, some, err := ondisk.FitSettle(s, o)
		if err != nil || !o.Thin || some.Kept > 2000 || some.Trains != all.Trains || some.Memory > o.Memory {
			t.Fatalf("%+v, %v, thinned %t", some, err, o.Thin)
		}
		if o.Memory = 1 << 20; err == nil {
			_, _, err = ondisk.FitSettle(s, o)
		}
		if err == nil {
			t.Error("1 MiB is enough")
		}
		o.Memory, o.Thin = plenty, true
		k, _ := ondisk.Choose(s, o)
		p, _ := ondisk.NewSettlePlan(s, k, o)
		held[train] = p.Memory
	}
	if a, b := held["0.2"], held["0.45"]; b > a+a/100 {
		t.Errorf("%d bytes for more than twice the rows of %d", b, a)
	}
}

// TestNotOnce: the error names the setting for which a descent cannot be run once.
func TestNotOnce(t *testing.T) {
	_, s := stored(t, "csbm:nodes=300,features=3")
	for want, set := range map[string][]string{
		"recipe":             {"heterophily"},
		"model.norm":         {"base", "model.norm=batch"},
		"model.drop_nodes":   {"base", "model.drop_nodes=0.5"},
		"train.class_weight": {"base", "train.class_weight=balanced"},
		"such as base":       {"momentum"},
		"is linear":          {"robust", "model.before=1"},
		"model.before":       {"base", "model.before=2"},
		"model.learn_lambda": {"base", "model.before=1", "model.learn_lambda=true"},
	} {
		_, err := node.NewDisk(configOf(t, set[0], "csbm", set[1:]...), s.Columns, s.Classes)
		var bad *train.BadSetting
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", set, err)
		}
	}
}
