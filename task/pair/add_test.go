package pair

import (
	"errors"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// TestAdd: a newcomer with the features and the neighbours of an old node is told to join what that one is told to, of
// nodes that neither knows. What was held out, scales and weights stay, so that without edges an old pair scores as it
// did.
func TestAdd(t *testing.T) {
	j := newJob(t, community, "pairs.alike=true", "pairs.common=true", "data.scale=columns")
	if err := j.evaluate(); err != nil {
		t.Fatal(err)
	}
	was := j.trained("")
	x := dataset.Matrix{Rows: 1, Cols: 4, Values: make([]mat.Real, 4)}
	was.Data.Features[0].Row(x.Values, 7)
	alone := &dataset.Newcomers{IDs: []string{"new"}, Features: []dataset.Matrix{x}}
	now, err := was.Add(alone)
	if err != nil {
		t.Fatal(err)
	}
	a, b := was.job.split, now.job.split
	if !slices.Equal(a.valid, b.valid) || !slices.Equal(a.testFalse, b.testFalse) || !slices.Equal(a.train, b.train) {
		t.Error("a node without edges divides pairs anew")
	}
	one, err1 := was.Score("n3", "n9")
	other, err2 := now.Score("n3", "n9")
	if err1 != nil || err2 != nil || one.Probability != other.Probability {
		t.Errorf("an old pair: %+v, then %+v; %v, %v", one, other, err1, err2)
	}
	joined := *alone
	for _, p := range a.train {
		if p.u == 7 || p.v == 7 {
			joined.Edges = append(joined.Edges, graph.Triple{U: 60, V: p.u + p.v - 7})
		}
	}
	if now, err = was.Add(&joined); err != nil {
		t.Fatal(err)
	}
	list, err := now.Recommend("new", 60)
	if err != nil || len(list) != 60-len(joined.Edges) || !slices.Equal(now.job.split.test, a.test) {
		t.Fatalf("%d of 60 nodes after %d edges, %v", len(list), len(joined.Edges), err)
	}
	for _, l := range list {
		like, err := now.Score("n7", l.Target)
		if err != nil {
			t.Fatal(err)
		}
		if l.Target != "n7" && (like.Probability-l.Probability > 1e-4 || l.Probability-like.Probability > 1e-4) {
			t.Errorf("new and %s: %v, n7 and it: %v", l.Target, l.Probability, like.Probability)
		}
	}
}

// TestAddRefuses: who has no features, or others, is turned down.
func TestAddRefuses(t *testing.T) {
	j := newJob(t, community)
	var bad *train.BadData
	three := &dataset.Newcomers{Features: []dataset.Matrix{{Rows: 1, Cols: 3}}}
	if _, err := j.trained("").Add(three); !errors.As(err, &bad) {
		t.Errorf("three features instead of four: %v", err)
	}
	c, d := settings(t, community)
	j, err := build(c, bare(d), train.Trial{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.trained("").Add(&dataset.Newcomers{}); !errors.As(err, &bad) {
		t.Errorf("no features: %v", err)
	}
}
