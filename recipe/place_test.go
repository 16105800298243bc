package recipe

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestTrainLambda: λ of every edge term is a parameter that starts at its value, one for each term, and the same when
// the recipe is built again at the same place.
func TestTrainLambda(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Relations: 1,
		Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	h := mat.New(3, 2)
	mat.Normal(h, 0, 1, 1)
	r := &Recipe{A: jacobi, F: []Edge{laplace{Lambda: 0.3}, difference{energy.LogCosh, 2},
		compat{Rho: energy.HalfSquared, Lambda: 5}}}
	build := func(p *Place) *energy.Lower {
		p.On, p.Dim, p.Pi = energy.NewStructure(g), 2, ad.Input(h)
		l, err := r.Lower(p)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	place := &Place{TrainLambda: true}
	fixed, trained, again := build(&Place{}), build(place), build(place)
	if f, n := len(fixed.Params()), len(trained.Params()); f != 1 || n != 4 {
		t.Fatalf("%d and %d parameters, want C, and three λ more", f, n)
	}
	for i, p := range trained.Params() {
		if again.Params()[i] != p {
			t.Errorf("%s was made twice", p.Name)
		}
	}
	x := ad.Input(h)
	a, b := float64(ad.Eval(fixed.Smooth(x)).Item()), float64(ad.Eval(trained.Smooth(x)).Item())
	if math.Abs(a-b) > 1e-4*math.Abs(a) { // softplus and its inverse, rounded
		t.Errorf("energy %v with λ fixed and %v with λ trained", a, b)
	}
}

// TestFromLabels names the recipes whose energy is about labels.
func TestFromLabels(t *testing.T) {
	var names []string
	for _, r := range All() {
		if r.FromLabels() {
			names = append(names, r.Name)
		}
	}
	if len(names) != 7 || names[0] != "lp" || names[6] != "gr-mlp-wide" {
		t.Errorf("%v", names)
	}
}

// TestQueryNeedsItsWidth: the features of nodes are no query.
func TestQueryNeedsItsWidth(t *testing.T) {
	r, err := Find("path")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(graph.Spec{Nodes: 4, Relations: 2})
	if err != nil {
		t.Fatal(err)
	}
	for cols, fits := range map[int]bool{3: true, 5: false} {
		p := &Place{On: energy.NewStructure(g), Dim: 3, X: ad.Const(mat.New(4, cols))}
		if _, err := r.Lower(p); (err == nil) != fits {
			t.Errorf("x of %d columns for h of 3: %v", cols, err)
		}
	}
}
