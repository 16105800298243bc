package recipe

import (
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/energy/energytest"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// TestAnnounced: terms and constraints that are in no table fail.
func TestAnnounced(t *testing.T) {
	testkit.Announced(t, EdgeTerms, map[string]string{"pooled": "is a node term that needs inverse edges"}, "Term",
		"Edges", "Text")
	testkit.Announced(t, NodeTerms, edgeTypes(), "Term", "Text")
	testkit.Announced(t, etas(), nil, "Constraint", "Text")
}

// edgeTypes are the edge terms, which have the methods of node terms too.
func edgeTypes() map[string]string {
	names := map[string]string{}
	for _, p := range EdgeTerms.Parts {
		names[testkit.TypeName(p.New)] = "is an edge term"
	}
	return names
}

// somewhere is a place of the sizes that energytest has, with new parameters.
func somewhere(t *testing.T) *Place {
	t.Helper()
	spec := graph.Spec{Nodes: energytest.Nodes, Relations: energytest.Relations, Triples: []graph.Triple{{U: 0, V: 1}}}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	p := &Place{On: energy.NewStructure(g), Dim: energytest.Dim, Known: []int32{1, 4}, Seed: 1}
	classes, err := mat.NewIndex([]int32{0, 1, 2, 3, 0, 1, 2, 3, 0}, p.Dim)
	if err != nil {
		t.Fatal(err)
	}
	known, err := mat.NewIndex(p.Known, energytest.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.New(energytest.Nodes, energytest.Dim)
	mat.Uniform(x, -1, 1, 2)
	p.Labels, p.X = energy.Labels(classes, known), ad.Const(x)
	return p
}

// TestParts is the suite of terms and constraints as files name them: every one of the tables passes it.
func TestParts(t *testing.T) {
	for _, p := range EdgeTerms.Parts {
		energytest.EdgeTerm(t, "edge term "+p.Name, func() energy.EdgeTerm { return p.New.Term(somewhere(t)) })
	}
	for _, p := range NodeTerms.Parts {
		var opts []energytest.Option
		if strings.HasPrefix(p.Name, "pna") {
			opts = append(opts, energytest.Sharp()) // the largest of several
		}
		energytest.NodeTerm(t, "node term "+p.Name, func() energy.NodeTerm { return p.New.Term(somewhere(t)) }, opts...)
	}
	for _, p := range etas().Parts {
		var opts []energytest.Option
		if p.New == Range {
			opts = append(opts, energytest.Coupled())
		}
		if p.New != nil {
			energytest.Constraint(t, "eta "+p.Name, func() energy.Constraint {
				c, err := p.New.Constraint(somewhere(t))
				if err != nil {
					t.Fatal(err)
				}
				return c
			}, opts...)
		}
	}
}
