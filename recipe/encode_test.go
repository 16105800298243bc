package recipe

import (
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// equal compares recipes; functions inside penalties are told apart by the names of the penalties.
func equal(a, b *Recipe) bool {
	plain := func(r *Recipe) *Recipe {
		c := *r
		c.F, c.Kappa = nil, nil
		for _, f := range r.F {
			switch t := f.(type) {
			case Difference:
				f = Difference{energy.Penalty{Name: t.Rho.Name}, t.Lambda}
			case Compat:
				f = Compat{energy.Penalty{Name: t.Rho.Name}, t.Lambda}
			case Relational:
				f = Relational{energy.Penalty{Name: t.Rho.Name}, t.Lambda}
			}
			c.F = append(c.F, f)
		}
		for _, k := range r.Kappa {
			switch t := k.(type) {
			case Anchor:
				k = Anchor{energy.Penalty{Name: t.Rho.Name}, t.Scale}
			case Labels:
				k = Labels{energy.Penalty{Name: t.Rho.Name}}
			}
			c.Kappa = append(c.Kappa, k)
		}
		return &c
	}
	return reflect.DeepEqual(plain(a), plain(b))
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

// TestEncode: what is encoded reads back as it was: every recipe, and every part that no recipe has.
func TestEncode(t *testing.T) {
	parts := All()
	for _, eta := range []Eta{Of{energy.Ball{R: 2}}, Of{energy.L1{T: 0.1}}, Of{energy.Box{Lo: -1, Hi: 0.3}}} {
		parts = append(parts, &Recipe{Name: "eta", F: []Edge{Difference{energy.Welsch(0.3), 1e-9}}, Eta: eta, A: descent.Nesterov{Gamma: descent.Safe{}}})
	}
	for _, a := range []descent.Algorithm{descent.TWIRLS{Gamma: descent.Forced(2)}, descent.Proximal{Gamma: descent.Fixed(1), Sigma: descent.InverseDegree{}},
		descent.Proximal{Gamma: descent.Forced(1), Sigma: descent.OneSided{}}} {
		parts = append(parts, &Recipe{Name: "true", Summary: "1e3", Kappa: []Node{UnitNorm{1e20}, Anchor{energy.Charbonnier(1e-3), 0.01}}, A: a, L: 3})
	}
	for _, r := range parts {
		text := encoded(t, r)
		got, err := Read("x", []byte(text))
		if err != nil {
			t.Errorf("%s: %v in\n%s", r.Name, err, text)
		} else if !equal(got, r) {
			t.Errorf("%s: %+v is not %+v:\n%s", r.Name, got, r, text)
		}
	}
	a, b := *parts[0], *parts[0]
	b.Kappa = []Node{Anchor{Rho: energy.Huber(1)}}
	if equal(&a, &b) {
		t.Error("the comparison is blind")
	}
}

// TestEncodeOwn: parts without a name are an error.
func TestEncodeOwn(t *testing.T) {
	for _, r := range []*Recipe{
		{A: descent.Attention{A: descent.Adam{}}},
		{A: descent.Proximal{Gamma: descent.Backtracking{Start: 2}}},
		{A: jacobi, Eta: Of{}},
	} {
		if _, err := Encode(r); err == nil || !strings.Contains(err.Error(), "has no name") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestKeys: every key that a recipe writes is described, and every description is of a key that decodes somewhere.
func TestKeys(t *testing.T) {
	known := map[string]bool{}
	for _, k := range Keys() {
		if known[k.Path] || k.Doc == "" {
			t.Errorf("%+v", k)
		}
		known[k.Path] = true
	}
	var walk func(prefix string, n *yaml.Node)
	walk = func(prefix string, n *yaml.Node) {
		switch n.Kind {
		case yaml.SequenceNode:
			for _, c := range n.Content {
				walk(prefix, c)
			}
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				path := strings.TrimPrefix(prefix+"."+n.Content[i].Value, ".")
				if !known[path] {
					t.Errorf("no description of %s", path)
				}
				walk(path, n.Content[i+1])
			}
		}
	}
	for _, r := range All() {
		n, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		walk("", n)
	}
	for section, table := range map[string]map[string][]string{"f": edgeTerms, "descent": algorithms} {
		for _, keys := range table {
			for _, key := range keys {
				if !known[section+"."+key] {
					t.Errorf("no description of %s.%s", section, key)
				}
			}
		}
	}
}
