package main

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// studyCases are the measurements that the paper does not have.
func studyCases(model string, numbers func(...string) string) []measureCase {
	links := numbers("roc_auc", "mrr")
	return []measureCase{
		{"links", "settings: {recipe: base, task: links, model: {hidden: 8}, train: {epochs: 10}}\n" + links,
			measureLinks, func(o Outcome) string {
				return atLeast(o, map[string]float64{"roc_auc": 40, "average_precision": 40, "mrr": 1, "hits@10": 5})
			}},
		{"coverage", "settings: {recipe: base, " + model + "}\n" + numbers("coverage"), larger(measureCoverage),
			func(o Outcome) string {
				return atLeast(o, map[string]float64{"coverage": 87.5, "class coverage": 85, "size": 0.9,
					"deviation": 0.1})
			}},
	}
}

// larger measures on a graph with enough validation nodes to calibrate by.
func larger(measure func(context.Context, job) (Outcome, error)) func(context.Context, job) (Outcome, error) {
	return func(ctx context.Context, j job) (o Outcome, err error) {
		if j.data, err = catalogue.Open("csbm:nodes=400,seed=3"); err != nil {
			return o, err
		}
		return measure(ctx, j)
	}
}

// line is a path of nodes whose first column is twice the third and a third of the third of its neighbours.
func line(n int) *dataset.Dataset {
	x := dataset.Matrix{Cols: 3}
	var edges []graph.Triple
	at := func(v int) mat.Real { return mat.Real(mat.Mix(5, uint64(v))%1000) / 1000 }
	var s dataset.Split
	for v := range n {
		near := at(v + 1)
		if v > 0 && v < n-1 {
			near = (at(v-1) + at(v+1)) / 2
		} else if v > 0 {
			near = at(v - 1)
		}
		x.AppendRow([]mat.Real{2*at(v) + near/3, 0, at(v)})
		if v > 0 {
			edges = append(edges, graph.Triple{U: int32(v - 1), V: int32(v)})
		}
		part := []*[]int32{&s.Train, &s.Valid, &s.Test}[v%3]
		*part = append(*part, int32(v))
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true})
	if err != nil {
		panic(err)
	}
	return &dataset.Dataset{Name: "line", Graph: g, Features: []dataset.Matrix{x}, Splits: []dataset.Split{s}}
}

// TestRidge: a column that is linear in others and in the neighbours' mean is predicted but for the penalty.
func TestRidge(t *testing.T) {
	d := columnTarget{"y", 0, 2, false}.relabel(line(300), 1)
	if d.Features[0].Cols != 1 || d.Labels.Task != dataset.Numbers || len(d.Labels.Values) != 300 {
		t.Fatalf("%d columns, %s", d.Features[0].Cols, d.Labels.Task)
	}
	own, both := ridge(d, false), ridge(d, true)
	if r := own.Numbers["r2"]; r < 90 || r > 99.5 {
		t.Errorf("r2 %v on the features alone", r)
	}
	if r := both.Numbers["r2"]; r < 99.9 {
		t.Errorf("r2 %v with the neighbours", r)
	}
}

// TestColumnTarget: a column among those that it is predicted from is taken out, and the others do not tell it by their
// sum; every node is in one part of a division, and another seed divides otherwise.
func TestColumnTarget(t *testing.T) {
	d := line(10)
	d.Features[0] = dataset.Matrix{Rows: 10, Cols: 3}
	for v := range 10 {
		d.Features[0].Values = append(d.Features[0].Values, mat.Real(v), 1, 3)
	}
	target := columnTarget{"y", 1, 0, true}
	got := target.relabel(d, 1)
	for v := range 10 {
		sum := mat.Real(v) + 3
		row := got.Features[0].Values[2*v : 2*v+2]
		if got.Features[0].Cols != 2 || !near(row[0], mat.Real(v)/sum) || !near(row[1], 3/sum) ||
			!near(got.Labels.Values[v], 1/sum) {
			t.Errorf("node %d: %v of %v", v, got.Labels.Values[v], row)
		}
	}
	s := got.Splits[0]
	if all := slices.Sorted(slices.Values(slices.Concat(s.Train, s.Valid, s.Test))); len(s.Train) != 6 ||
		len(s.Valid) != 2 || !slices.Equal(all, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%+v", s)
	}
	if slices.Equal(s.Train, target.relabel(d, 2).Splits[0].Train) {
		t.Error("one division for two seeds")
	}
}

// near reports whether two numbers are equal but for rounding.
func near(a, b mat.Real) bool { return math.Abs(float64(a-b)) < 1e-6 }

// TestShuffled: every node stays, and another seed gives another order.
func TestShuffled(t *testing.T) {
	a, b := shuffled([]int32{0, 1, 2, 3, 4, 5, 6, 7}, 1), shuffled([]int32{0, 1, 2, 3, 4, 5, 6, 7}, 2)
	if slices.Equal(a, b) {
		t.Error("one order for two seeds")
	}
	slices.Sort(a)
	if !slices.Equal(a, []int32{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v", a)
	}
}
