package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// gossip is a graph of n nodes of three classes with little in their features. Half of its edges join nodes of a class
// and half any two; of the two columns of edges the first tells which, with noise, and the second nothing.
func gossip(n int) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(4, 2))
	d := &dataset.Dataset{Name: "gossip", Metric: "accuracy",
		Labels: dataset.Labels{Class: make([]int32, n), Names: []string{"a", "b", "c"}}}
	x := dataset.Matrix{Rows: n, Cols: 6, Values: make([]mat.Real, 6*n)}
	var s dataset.Split
	for v := range int32(n) {
		d.Labels.Class[v] = v % 3
		for j := range x.Cols {
			x.Values[int(v)*x.Cols+j] = mat.Real(rng.NormFloat64())
		}
		x.Values[int(v)*x.Cols+int(v%3)] += 0.7
		switch {
		case v < int32(n/5):
			s.Train = append(s.Train, v)
		case v < int32(n/2):
			s.Valid = append(s.Valid, v)
		default:
			s.Test = append(s.Test, v)
		}
	}
	spec := graph.Spec{Nodes: n, Undirected: true, Features: graph.Features{Cols: 2}}
	for i := range 6 * n {
		u, v, told := rng.Int32N(int32(n)), rng.Int32N(int32(n)), -1.0
		if i%2 == 0 {
			v, told = u%3+3*rng.Int32N(int32(n/3)), 1
		}
		spec.Triples = append(spec.Triples, graph.Triple{U: u, V: v})
		spec.Features.Values = append(spec.Features.Values, mat.Real(told+0.3*rng.NormFloat64()),
			mat.Real(rng.NormFloat64()))
	}
	g, err := graph.Build(spec)
	if err != nil {
		panic(err)
	}
	d.Graph, d.Features, d.Splits = g, []dataset.Matrix{x}, []dataset.Split{s}
	return d
}

// TestEdgeFeaturesHelp: where a column tells noise from edges, every kind of energy learns more with it, and nothing is
// different where it is not used.
func TestEdgeFeaturesHelp(t *testing.T) {
	d := gossip(420)
	bare := *d
	bare.Graph, _ = d.Graph.WithEdges(nil, graph.Features{})
	for _, recipe := range []string{"base", "robust", "heterophily", "attention"} {
		c := settings(t, recipe)
		c.Train.Epochs, c.Train.Rate = 50, 0.03
		plain, without := trained(t, c, &bare, Options{}), trained(t, c, d, Options{})
		c.Data.EdgeFeatures = "use"
		with := trained(t, c, d, Options{})
		t.Logf("%s: accuracy %.3f without features of edges, %.3f with", recipe, without.Test.Mean, with.Test.Mean)
		if plain.Test.Mean != without.Test.Mean || plain.Weights != without.Weights {
			t.Errorf("%s: %v where edges have no features, %v where they are not used", recipe, plain.Test,
				without.Test)
		}
		if with.Test.Mean < without.Test.Mean+0.05 || with.Weights != without.Weights+3 {
			t.Errorf("%s: %.3f with %d weights, %.3f with %d", recipe, without.Test.Mean, without.Weights,
				with.Test.Mean, with.Weights)
		}
	}
}

// TestEdgeFeaturesOnCard: the card says by what edges are weighed, and that the column that tells something counts.
func TestEdgeFeaturesOnCard(t *testing.T) {
	d := gossip(300)
	const columns = `{"edges": {"columns": [{"name": "trust", "kind": "number"}, {"name": "colour", "kind": "number"}]}}`
	if err := json.Unmarshal([]byte(columns), &d.Schema); err != nil {
		t.Fatal(err)
	}
	c := settings(t, "base")
	c.Train.Epochs, c.Train.Rate, c.Data.EdgeFeatures = 60, 0.02, "use"
	r := trained(t, c, d, Options{})
	text := r.Job.(job).Card(r).Energy
	if !strings.Contains(text, "W of its features: trust +") || !strings.Contains(text, ", colour ") {
		t.Error(text)
	}
	c.Data.EdgeFeatures = "none"
	r = trained(t, c, d, Options{})
	if text := r.Job.(job).Card(r).Energy; strings.Contains(text, "softplus") {
		t.Error(text)
	}
}

// TestWeightsLeftOut: data.weights none is the graph without them.
func TestWeightsLeftOut(t *testing.T) {
	d := gossip(150)
	w := make([]mat.Real, d.Graph.NumEdges())
	for e := range w {
		w[e] = mat.Real(e % 3)
	}
	heavy := *d
	heavy.Graph, _ = d.Graph.WithEdges(w, graph.Features{})
	c := settings(t, "gcn")
	logits := func(c config.Config, d *dataset.Dataset) string {
		return fmt.Sprint(Of(trained(t, c, d, Options{})).last.z)
	}
	plain, used := logits(c, d), logits(c, &heavy)
	c.Data.Weights = "none"
	if left := logits(c, &heavy); plain != left || plain == used {
		t.Errorf("weights left out are those of the graph without them: %v; used ones change nothing: %v",
			plain == left, plain == used)
	}
}

// TestEdgesRefused: what cannot use weights or features of edges says so, and what to do.
func TestEdgesRefused(t *testing.T) {
	d := gossip(60)
	heavy := *d
	heavy.Graph, _ = d.Graph.WithEdges(make([]mat.Real, d.Graph.NumEdges()), graph.Features{})
	for _, x := range []struct {
		recipe, weights, features string
		d                         *dataset.Dataset
		want                      string
	}{
		{"gat", "use", "none", &heavy, "data.weights=none"},
		{"mlp", "use", "none", &heavy, "data.weights=none"},
		{"gcn", "use", "use", d, "a baseline has no energy"},
		{"lp", "use", "use", d, "epochs is 0"},
		{"base", "use", "use", &heavy, "edges have no features"},
		{"base", "none", "none", d, "edges have no weights"},
	} {
		c := settings(t, x.recipe)
		if x.recipe == "lp" {
			c.Train.Epochs = 0
		}
		c.Data.Weights, c.Data.EdgeFeatures = x.weights, x.features
		_, err := Build(c, x.d, train.Trial{}, Options{})
		var setting *train.BadSetting
		var data *train.BadData
		if err == nil || !strings.Contains(err.Error(), x.want) || !errors.As(err, &setting) && !errors.As(err, &data) {
			t.Errorf("%s: %v, want %q", x.recipe, err, x.want)
		}
	}
	for _, recipe := range []string{"gat", "rgcn", "mlp"} {
		c := settings(t, recipe)
		c.Data.Weights = "none"
		if _, err := Build(c, &heavy, train.Trial{}, Options{}); err != nil {
			t.Error(err)
		}
	}
}

// TestAddWithEdgeFeatures: a new node hears the edges that are worth something. Its edges without features count as
// usual ones.
func TestAddWithEdgeFeatures(t *testing.T) {
	d := gossip(300)
	left, late, err := testkit.HoldOut(d, []int32{290, 291, 292, 293, 294})
	if err != nil {
		t.Fatal(err)
	}
	c := settings(t, "base")
	c.Train.Epochs, c.Train.Rate, c.Data.EdgeFeatures = 60, 0.02, "use"
	task := Of(trained(t, c, left, Options{}))
	told, err := task.Add(late)
	if err != nil {
		t.Fatal(err)
	}
	late.Told = graph.Features{}
	untold, err := task.Add(late)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(predicted(t, told).Logits.Slice(), predicted(t, untold).Logits.Slice()) {
		t.Error("features of new edges changed nothing")
	}
	late.Told = graph.Features{Cols: 5, Values: make([]mat.Real, 5*len(late.Edges))}
	if _, err := task.Add(late); err == nil || !strings.Contains(err.Error(), "new edges have 5 features, want 2") {
		t.Errorf("error %v for edges with other features", err)
	}
}
