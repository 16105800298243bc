package inspect

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/recipe"
)

// TestRecipes: every recipe passes its gradient check, and its energy ends below where it starts.
func TestRecipes(t *testing.T) {
	for _, r := range recipe.All() {
		rep, err := Run(t.Context(), r, Options{Nodes: 12, Steps: -1, Seed: 1})
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		first, last := rep.Trace[0].Energy, rep.Trace[len(rep.Trace)-1].Energy
		if r.A == descent.Proximal(descent.Pace(r.A)) {
			for i := 1; i < len(rep.Trace); i++ {
				if before, now := rep.Trace[i-1].Energy, rep.Trace[i].Energy; now > before+1e-6*math.Abs(before) {
					t.Errorf("%s: energy rises from %v to %v in step %d", r.Name, before, now, i)
				}
			}
		}
		if !rep.Gradient.OK || !(last < first) || len(rep.Trace) != r.L+1 {
			t.Errorf("%s: %+v, energy %v to %v", r.Name, rep.Gradient, first, last)
		}
	}
}

// laplace is ½ ‖h_u − h_v‖².
func laplace(t *testing.T) recipe.Edge {
	t.Helper()
	r, err := recipe.Find("base")
	if err != nil {
		t.Fatal(err)
	}
	return r.F[0]
}

// wrong is that term with a gradient that is off by a tenth.
type wrong struct{ recipe.Edge }

func (w wrong) Term(p *recipe.Place) energy.EdgeTerm {
	return wrongTerm{w.Edge.Term(p).(term)}
}

// term is an edge term with a fast form and a bound.
type term interface {
	energy.FusedEdges
	EdgeCurvature(*energy.Structure) ad.Var
}

type wrongTerm struct{ term }

func (t wrongTerm) EdgeGrad(on *energy.Structure, h ad.Var) ad.Var {
	return t.term.EdgeGrad(on, h).Scale(1.1)
}

func TestWrongGradient(t *testing.T) {
	r := &recipe.Recipe{Name: "wrong", F: []recipe.Edge{wrong{laplace(t)}},
		A: descent.Proximal(descent.Safe, nil), L: 1}
	rep, err := Run(t.Context(), r, Options{Nodes: 10, Steps: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if g := rep.Gradient; g.OK || math.Abs(g.Error-0.1/1.1) > 1e-3 || math.Abs(g.Plain-0.1/1.1) > 1e-3 {
		t.Errorf("%+v", g)
	}
}

// TestLargeGraph: the check works on graphs whose energy is far larger than what one entry changes.
func TestLargeGraph(t *testing.T) {
	r, err := recipe.Find("robust")
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Run(t.Context(), r, Options{Nodes: 2000, Steps: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Gradient.OK || rep.Gradient.Entries != most || rep.Gradient.Error > 1e-3 {
		t.Errorf("%+v", rep.Gradient)
	}
}

// TestTooLong: the report comes with the error of the descent.
func TestTooLong(t *testing.T) {
	r := &recipe.Recipe{Name: "long", F: []recipe.Edge{laplace(t)},
		A: descent.Proximal(descent.Fixed(9), nil), L: 1}
	rep, err := Run(t.Context(), r, Options{Nodes: 10, Steps: -1, Seed: 1})
	var long *descent.StepTooLong
	if !errors.As(err, &long) || rep == nil || math.Abs(rep.Bound.Gamma-long.Limit) > 1e-6 || len(rep.Trace) != 0 {
		t.Errorf("%v, %+v", err, rep)
	}
}

// TestJudge: a message function has a ζ if and only if the criteria hold.
func TestJudge(t *testing.T) {
	for _, m := range Messages() {
		for seed := range uint64(5) {
			j, err := Judge(m.Name, seed)
			if err != nil || j.Holds != (m.Zeta != "") {
				t.Errorf("%s, seed %d: %v, %+v", m.Name, seed, err, j)
			}
		}
	}
	if _, err := Judge("gatt", 1); err == nil || err.Error() != `no message function "gatt"; did you mean "gat"?` {
		t.Error(err)
	}
}
