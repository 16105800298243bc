package ondisk_test

import (
	"context"
	"math"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// spreadOf is the set of kept rows with a spread of signs of that seed.
func spreadOf(t *testing.T, s *ondisk.Store, c config.Config, seed uint64) dataset.Matrix {
	t.Helper()
	l, err := node.NewDisk(c, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ondisk.Settle(context.Background(), s, ondisk.SettleOptions{Local: l.Local, Steps: l.Steps,
		Energy: l.Energy,
		Scale:  c.Data.Scale, Memory: plenty, Spread: true, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return d.Features[0]
}

// TestSpread: P (X ∘ S) has P X and P 1 before it, as they are without it, and the mean of its squares over many S is
// (P ∘ P)(X ∘ X), in which P is P X for X the identity. 200 draws of a square whose variance is at most twice its
// squared mean leave the sum over 60 × 4 entries within 5 %.
func TestSpread(t *testing.T) {
	d, s := stored(t, "csbm:nodes=60,features=4,classes=2,degree=4,train=0.3")
	cfg := configOf(t, "base", "model.input_dropout=0.5", "data.scale=none", "energy.steps=3")
	eye := *d
	eye.Features = []dataset.Matrix{{Rows: 60, Cols: 60, Values: mat.Eye(60).Slice()}}
	p := spreadOf(t, inBlocks(t, &eye), cfg, 1)
	plain := settled(t, s, configOf(t, "base", "model.input_dropout=0", "data.scale=none", "energy.steps=3"), plenty)
	want, got := 0.0, 0.0
	for u := range 60 {
		for v := range 60 {
			if a, b := p.Values[u*p.Cols+v], p.Values[u*p.Cols+61+v]; math.Abs(float64(a)) != math.Abs(float64(b)) {
				t.Fatalf("P[%d, %d] is %v, and with a sign %v", u, v, a, b)
			}
			for j := range 4 {
				want += math.Pow(float64(p.Values[u*p.Cols+v])*float64(d.Features[0].Values[4*v+j]), 2)
			}
		}
	}
	const draws = 200
	for seed := range uint64(draws) {
		x := spreadOf(t, s, cfg, seed)
		for u := range 60 {
			settleSame(t, "P X and P 1", x.Values[u*x.Cols:u*x.Cols+5], plain.Features[0].Values[u*5:u*5+5])
			for _, g := range x.Values[u*x.Cols+5 : (u+1)*x.Cols] {
				got += float64(g*g) / draws
			}
		}
	}
	if math.Abs(got-want) > 0.05*want {
		t.Errorf("the squares add up to %v, want %v", got, want)
	}
}

// TestDropout compares what dropout of features adds to the loss, for fixed weights and over 400 draws, on the graph
// and on settled rows. With their spread it is within 15 %: other draws of dropout and of signs change it by about 4 %
// each, and higher moments are others. Where entries of P x are dropped it is more by half.
func TestDropout(t *testing.T) {
	d, s := stored(t, "csbm:nodes=400,features=16,classes=3,degree=8,train=0.5")
	set := []string{"model.after=0", "data.scale=none", "model.input_dropout=0.5"}
	cfg := configOf(t, "base", set...)
	still := configOf(t, "base", append(set, "model.input_dropout=0")...)
	rows := settled(t, s, cfg, plenty)
	bare := settled(t, s, still, plenty)
	least := lossOf(t, still, d, 1)
	whole, spread := lossOf(t, cfg, d, 400)-least, lossOf(t, cfg, rows, 400)-least
	entries := lossOf(t, cfg, bare, 400) - least
	if !(math.Abs(spread-whole) < 0.15*whole) || !(math.Abs(entries-whole) > 0.4*whole) {
		t.Errorf("dropout adds %v on the graph, %v with the spread, %v by entries of P x", whole, spread, entries)
	}
}

// lossOf is the mean loss of some draws of dropout, for weights that do not depend on the data.
func lossOf(t *testing.T, c config.Config, d *dataset.Dataset, draws int) (mean float64) {
	t.Helper()
	task, err := node.Build(c, d, train.Trial{Seed: 1}, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range task.Job().Params() {
		mat.Uniform(p.Value(), -1, 1, uint64(i))
	}
	for epoch := range draws {
		if err := task.Job().Batch(epoch+1, 0); err != nil {
			t.Fatal(err)
		}
		mean += float64(task.Job().Loss().Item()) / float64(draws)
	}
	return mean
}
