package kg

import (
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestBatchesInAnyOrder: a batch is a function of epoch, number and parameters, whatever was computed before it.
func TestBatchesInAnyOrder(t *testing.T) {
	g := smallGraph(t, 60, 3, 400)
	all := ways()
	batches := all["bilevel"]
	batches.Bilevel = &Bilevel{L: 2, Redraw: 2, Batches: true}
	all["bilevel batches"] = batches
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			after, fresh := trainerOf(t, c, g), trainerOf(t, c, g)
			last := fresh.Batches() - 1
			for _, at := range [][2]int{{1, 0}, {4, last}, {2, 0}} {
				if err := after.Batch(at[0], at[1]); err != nil {
					t.Fatal(err)
				}
			}
			if err := after.Embed(); err != nil {
				t.Fatal(err)
			}
			for i, p := range after.State() {
				mat.Copy(p.Value(), fresh.State()[i].Value())
			}
			for _, tr := range []Trainer{after, fresh} {
				if err := tr.Batch(3, last); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := after.Loss().Item(), fresh.Loss().Item(); a != b {
				t.Errorf("loss %v, want %v", a, b)
			}
			for i, grad := range fresh.Grads() {
				if !equal(after.Grads()[i].Slice(), grad.Slice()) {
					t.Errorf("the derivative to %s differs", fresh.Params()[i].Name)
				}
			}
		})
	}
}

// trainerOf is a trainer that has done nothing.
func trainerOf(t *testing.T, c Config, g *graph.Graph) Trainer {
	t.Helper()
	tr, err := NewTrainer(c, g)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
