package recipe

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// shown is a recipe with the types of its parts; penalties, which hold functions, are shown by their names.
func shown(r *Recipe) string {
	text := fmt.Sprintf("%q %q %q %d %T%+v %T%+v", r.Name, r.Summary, r.Source, r.L, r.Eta, r.Eta, r.A, r.A)
	for _, f := range r.F {
		text += fmt.Sprintf("\n%T%+v", f, f)
	}
	for _, k := range r.Kappa {
		text += fmt.Sprintf("\n%T%+v", k, k)
	}
	return text
}

// encoded is r as the text of a file.
func encoded(t *testing.T, r *Recipe) string {
	t.Helper()
	n, err := Encode(r)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	return string(text)
}

// every is a recipe for every part of every table.
func every() []*Recipe {
	kappa := []Node{anchor{Rho: energy.HalfSquared}}
	var list []*Recipe
	for _, p := range EdgeTerms.Parts {
		list = append(list, &Recipe{Name: p.Name, F: []Edge{p.New}, A: jacobi})
	}
	for _, p := range NodeTerms.Parts {
		list = append(list, &Recipe{Name: p.Name, Kappa: []Node{p.New}, A: jacobi})
	}
	for _, p := range etas().Parts {
		list = append(list, &Recipe{Name: p.Name, Kappa: kappa, Eta: p.New, A: descent.Proximal(descent.Safe, nil)})
	}
	for _, p := range energy.Penalties.Parts {
		list = append(list, &Recipe{Name: p.Name, F: []Edge{difference{p.New, 1}},
			Kappa: []Node{labelled{p.New}}, A: jacobi})
	}
	for _, p := range descent.Algorithms.Parts {
		list = append(list, &Recipe{Name: p.Name, Kappa: kappa, A: p.New})
	}
	for _, p := range descent.StepSizes.Parts {
		list = append(list, &Recipe{Name: p.Text, Kappa: kappa, A: descent.Adam(p.New, nil, 0.5, 0.5)})
	}
	for _, p := range descent.Preconditioners.Parts {
		list = append(list, &Recipe{Name: p.Name, Kappa: kappa,
			A: descent.Momentum(descent.Safe, p.New, 0)})
	}
	return list
}

// TestEncode: what is encoded reads back as it was: every recipe, every part, and values that are not the defaults.
func TestEncode(t *testing.T) {
	list := append(All(), every()...)
	for _, eta := range []Eta{always{energy.Ball(2)}, always{energy.L1(0.3)}, always{energy.Box(-1, 0.3)}} {
		list = append(list, &Recipe{Name: "eta", F: []Edge{difference{energy.Welsch(0.3), 1e-9}}, Eta: eta,
			A: descent.Nesterov(descent.Safe, nil, 0)})
	}
	for _, a := range []descent.Algorithm{descent.TWIRLS(descent.Forced(3)),
		descent.Proximal(descent.Fixed(1), descent.InverseDegree),
		descent.Proximal(descent.Forced(1), descent.Softmax(3))} {
		list = append(list, &Recipe{Name: "true", Summary: "1e3",
			Kappa: []Node{unitNorm{1e20}, anchor{energy.Charbonnier(1e-3), 0.01}}, A: a, L: 3})
	}
	for _, r := range list {
		text := encoded(t, r)
		got, err := Read("x", []byte(text))
		if err != nil {
			t.Errorf("%s: %v in\n%s", r.Name, err, text)
		} else if shown(got) != shown(r) {
			t.Errorf("%s: %s is not %s:\n%s", r.Name, shown(got), shown(r), text)
		}
	}
	a, b := *list[0], *list[0]
	b.Kappa = []Node{anchor{Rho: energy.Huber(1)}}
	if shown(&a) == shown(&b) {
		t.Error("the comparison is blind")
	}
}

// TestEncodeOwn: parts without a name are an error.
func TestEncodeOwn(t *testing.T) {
	for _, r := range []*Recipe{
		{A: descent.Attention(descent.Adam(nil, nil, 0, 0), 0, 0, 0, 0)},
		{A: descent.Proximal(descent.Backtracking(2, 0, 0), nil)},
		{A: jacobi, Eta: always{}},
	} {
		if _, err := Encode(r); err == nil || !strings.Contains(err.Error(), "has no name") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestKeys: every key that a part writes is described.
func TestKeys(t *testing.T) {
	known := map[string]bool{}
	for _, k := range codec().Keys(reflect.TypeFor[Recipe](), "") {
		if known[k.Path] || k.Doc == "" || k.Kind == "" {
			t.Errorf("%+v", k)
		}
		known[k.Path] = true
	}
	var walk func(prefix string, n *yaml.Node)
	walk = func(prefix string, n *yaml.Node) {
		for i, c := range n.Content {
			switch {
			case n.Kind == yaml.SequenceNode:
				walk(prefix, c)
			case i%2 == 0:
				path := strings.TrimPrefix(prefix+"."+c.Value, ".")
				if !known[path] {
					t.Errorf("no description of %s", path)
				}
				walk(path, n.Content[i+1])
			}
		}
	}
	for _, r := range append(All(), every()...) {
		n, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		walk("", n)
	}
}
