package pair

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// TestRecipes: every recipe for nodes learns links, of a graph with weights and of one with two relations, unless its
// energy is about labels or its steps divide by gradients that may be 0.
func TestRecipes(t *testing.T) {
	_, d := settings(t, "karate")
	weighted, related := *d, *d
	weights := make([]mat.Real, d.Graph.NumEdges())
	triples := d.Graph.Triples()
	for e := range weights {
		weights[e] = 1 + mat.Real(e%3)
		triples[e].R = int32(e % 2)
	}
	weighted.Graph = must(graph.Build(graph.Spec{Nodes: 34, Triples: d.Graph.Triples(), Weights: weights,
		Undirected: true}))
	related.Graph = must(graph.Build(graph.Spec{Nodes: 34, Relations: 2, Triples: triples}))
	related.Relations = []string{"knows", "likes"}
	for _, r := range recipe.All() {
		if config.FamilyOf(r.Name).IsFacts() {
			continue
		}
		for _, x := range []*dataset.Dataset{d, &weighted, &related} {
			c, _ := settings(t, "karate", "recipe="+r.Name)
			if r.FromLabels() || slices.Contains(adaptive, r.Name) {
				var bad *train.BadSetting
				if _, err := build(c, x, train.Trial{Seed: 1}); !errors.As(err, &bad) {
					t.Errorf("%s: %v", r.Name, err)
				}
				continue
			}
			c.Train.Epochs = 1
			if _, err := Run(context.Background(), c, x, train.Options{}); err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
	}
}

// TestWeights: the weights of edges are part of the energy.
func TestWeights(t *testing.T) {
	c, d := settings(t, "karate")
	weights := make([]mat.Real, d.Graph.NumEdges())
	for e := range weights {
		weights[e] = 1 + mat.Real(e%3)
	}
	x := *d
	x.Graph = must(graph.Build(graph.Spec{Nodes: 34, Triples: d.Graph.Triples(), Weights: weights, Undirected: true}))
	var h [2][]mat.Real
	for i, y := range []*dataset.Dataset{d, &x} {
		j := must(build(c, y, train.Trial{Seed: 1}))
		if err := j.evaluate(); err != nil {
			t.Fatal(err)
		}
		h[i] = j.trained("").Embed().Slice()
	}
	if slices.Equal(h[0], h[1]) {
		t.Error("edges with weights embed nodes as edges without")
	}
}

// TestAnyBatch: a batch is a function of seed, epoch and part alone, so that a run goes on anywhere.
func TestAnyBatch(t *testing.T) {
	a, b := newJob(t, "karate", "pairs.common=true"), newJob(t, "karate", "pairs.common=true")
	for _, at := range [][2]int{{1, 0}, {1, 1}, {2, 0}, {2, 3}} {
		if err := a.Batch(at[0], at[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Batch(2, 3); err != nil {
		t.Fatal(err)
	}
	if a.Loss().Item() != b.Loss().Item() {
		t.Errorf("loss %v after other batches and %v without", a.Loss().Item(), b.Loss().Item())
	}
}
