package train

import (
	"context"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// without takes the last k nodes of d away, and returns them as Newcomers.
func without(t *testing.T, d *dataset.Dataset, k int) (*dataset.Dataset, Newcomers) {
	t.Helper()
	n := d.Graph.NumNodes() - k
	old := func(v int32) bool { return int(v) < n }
	spec := graph.Spec{Nodes: n, Undirected: true}
	var late Newcomers
	for _, e := range d.Graph.Triples() {
		if old(e.U) && old(e.V) {
			spec.Triples = append(spec.Triples, e)
		} else {
			late.Edges = append(late.Edges, e)
		}
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	x := d.Features[0]
	late.Features = dataset.Matrix{Rows: k, Cols: x.Cols, Values: x.Values[n*x.Cols:]}
	less := *d
	less.Graph = g
	less.Features = []dataset.Matrix{{Rows: n, Cols: x.Cols, Values: x.Values[:n*x.Cols]}}
	less.Labels.Class = d.Labels.Class[:n]
	less.Splits = []dataset.Split{{Train: d.Splits[0].Train, Valid: d.Splits[0].Valid, Test: slices.DeleteFunc(slices.Clone(d.Splits[0].Test), func(v int32) bool { return !old(v) })}}
	return &less, late
}

// TestAdd: nodes that are added after training are classified as by a model that knew them from the start.
func TestAdd(t *testing.T) {
	d := clusters(200)
	less, late := without(t, d, 20)
	for _, scale := range []string{"none", "columns"} {
		c := settings(t, "robust")
		c.Data.Scale = scale
		short, err := Run(context.Background(), c, less, Options{})
		if err != nil {
			t.Fatal(err)
		}
		added, err := short.Task.Add(late)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Run(context.Background(), c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := whole.Task.Predict()
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		for i := range 20 {
			if row(added.Logits, i) == row(p.Logits, 180+i) {
				same++
			}
		}
		if same < 17 {
			t.Errorf("scale %s: %d of 20 nodes get the class they have in the whole graph", scale, same)
		}
	}
}

// row is the largest entry of row i.
func row(z *mat.Dense, i int) int32 {
	c := z.Cols()
	return metric.Argmax(z.Slice()[i*c : (i+1)*c])
}

// TestAddRefuses: what a model cannot say anything about is refused.
func TestAddRefuses(t *testing.T) {
	less, late := without(t, clusters(200), 20)
	for _, name := range []string{"gcn", "lp"} {
		c := settings(t, name)
		r, err := Run(context.Background(), c, less, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Task.Add(late); err == nil {
			t.Errorf("nodes were added to %s", name)
		}
	}
	task, err := Build(settings(t, "base"), less, Trial{})
	if err != nil {
		t.Fatal(err)
	}
	wide := late
	wide.Features = dataset.Matrix{Rows: 20, Cols: 7, Values: make([]mat.Real, 140)}
	if _, err := task.Add(wide); err == nil {
		t.Error("7 features were taken for 6")
	}
	far := late
	far.Edges = append(slices.Clone(late.Edges), graph.Triple{U: 500})
	if _, err := task.Add(far); err == nil {
		t.Error("an edge to node 500 was taken")
	}
}
