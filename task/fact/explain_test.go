package fact

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/train"
)

// factOf is a fact of d by names.
func factOf(t *Trained, f graph.Triple) Fact {
	return Fact{Head: t.Data.IDs.At(f.U), Relation: t.Data.RelationName(f.R), Tail: t.Data.IDs.At(f.V)}
}

// TestExplainFidelity: without the fact that pulls most a score changes more than without one at random, in the mean
// over test facts. All facts are taken away in turn, so that the mean over them is what a random one does.
func TestExplainFidelity(t *testing.T) {
	for _, x := range []struct {
		recipe string
		set    []string
	}{{"complex", []string{"model.hidden=16", "train.epochs=20"}}, {"distmult-bilevel",
		[]string{"model.hidden=8", "train.epochs=3"}}} {
		c, d := opened(t, x.recipe, "family:families=1,twin=0", x.set...)
		r, err := Run(context.Background(), c, d, Options{Untested: true})
		if err != nil {
			t.Fatal(err)
		}
		first, random, same := 0.0, 0.0, 0
		for _, f := range d.Test[:3] {
			e, err := Of(r).Explain(factOf(Of(r), f), 0)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, y := range e.Facts {
				sum += math.Abs(y.Lost)
				if y.Pull*y.Lost > 0 {
					same++
				}
			}
			first += math.Abs(e.Facts[0].Lost)
			random += sum / float64(len(e.Facts))
		}
		t.Logf("%s: without the first fact scores change by %.3g, without a random one by %.3g", x.recipe, first/3,
			random/3)
		if first < 1.5*random {
			t.Errorf("%s: without the first fact scores change by %.3g, without a random one by %.3g", x.recipe,
				first/3, random/3)
		}
		if same == 0 {
			t.Errorf("%s: no pull has the direction of what is lost", x.recipe)
		}
	}
}

// TestExplainKnown: a fact of the graph is explained by the others, of either kind of model.
func TestExplainKnown(t *testing.T) {
	for _, x := range runs {
		if x.recipe == "refactor" {
			continue
		}
		c, d := opened(t, x.recipe, kin, append(x.set, "train.epochs=2")...)
		r, err := Run(context.Background(), c, d, Options{Untested: true})
		if err != nil {
			t.Fatal(err)
		}
		f := factOf(Of(r), d.Graph.Edge(3))
		e, err := Of(r).Explain(f, 3)
		if err != nil {
			t.Fatal(err)
		}
		itself := Reason{Head: f.Head, Relation: f.Relation, Tail: f.Tail}.String()
		if !e.Known || len(e.Facts) > 3 || len(e.Facts) == 3 && e.Left == 0 || len(e.Paths) > 3 ||
			len(e.Facts)+len(e.Paths) == 0 ||
			slices.ContainsFunc(e.Facts, func(y Reason) bool { return y.String() == itself }) ||
			slices.ContainsFunc(e.Paths, func(y Way) bool { return y.Path == itself }) {
			t.Errorf("%s: %+v", x.recipe, e)
		}
		answers, err := Of(r).Ask(Question{Head: f.Head, Relation: f.Relation}, d.Graph.NumNodes(), false)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(answers, func(a Answer) bool { return a.Entity == f.Tail })
		// path does not see the fact
		if got := answers[at].Score; x.recipe != "path" && math.Abs(got-e.Score) > 1e-4*(1+math.Abs(got)) {
			t.Errorf("%s: score %v, the answer has %v", x.recipe, e.Score, got)
		}
	}
}

// TestExplainTwin: facts about the twin are explained by its facts.
func TestExplainTwin(t *testing.T) {
	for _, recipe := range []string{"path", "complex-bilevel"} {
		c, d := opened(t, recipe, kin, "train.epochs=1", "model.hidden=8")
		r, err := Run(context.Background(), c, d, Options{Untested: true})
		if err != nil {
			t.Fatal(err)
		}
		f := d.Twin.Test[0]
		fact := Fact{Head: d.Twin.IDs.At(f.U), Relation: d.Twin.Relations[f.R], Tail: d.Twin.IDs.At(f.V)}
		if e, err := Of(r).Explain(fact, 2); err != nil || e.Known || len(e.Facts)+len(e.Paths) == 0 {
			t.Errorf("%s: %+v, error %v", recipe, e, err)
		}
		fact.Head = d.IDs.At(0)
		var bad *train.BadData
		if _, err := Of(r).Explain(fact, 2); !errors.As(err, &bad) && fact.Head != d.Twin.IDs.At(0) {
			t.Errorf("%s: %v", recipe, err)
		}
	}
}

// TestExplainErrors: names that are not known, and models that answer no questions.
func TestExplainErrors(t *testing.T) {
	c, d := opened(t, "refactor", kin, "train.epochs=1", "model.hidden=4")
	r, err := Run(context.Background(), c, d, Options{Untested: true})
	if err != nil {
		t.Fatal(err)
	}
	f := factOf(Of(r), d.Graph.Edge(0))
	var bad *train.BadData
	if _, err := Of(r).Explain(f, 1); !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
	for i := range 3 {
		g := f
		*[]*string{&g.Head, &g.Relation, &g.Tail}[i] += "x"
		var unknown *keys.Unknown
		if _, err := Of(r).Explain(g, 1); !errors.As(err, &unknown) || len(unknown.Near) == 0 {
			t.Errorf("%v: %v", g, err)
		}
	}
}
