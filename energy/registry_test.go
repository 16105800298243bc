package energy_test

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/energy/energytest"
	"github.com/bloomgml/bloom/internal/testkit"
)

// row is one term with what its suite is told about it.
type row[T any] struct {
	name string
	make func() T
	opts []energytest.Option
}

func TestEdgeTerms(t *testing.T) {
	for _, r := range edgeTable {
		energytest.EdgeTerm(t, r.name, r.make, r.opts...)
	}
}

func TestNodeTerms(t *testing.T) {
	for _, r := range nodeTable {
		energytest.NodeTerm(t, r.name, r.make, r.opts...)
	}
}

func TestConstraints(t *testing.T) {
	for _, r := range constraintTable {
		energytest.Constraint(t, r.name, r.make, r.opts...)
	}
}

// untested are the types that need no row, with the reason.
var untested = map[string]string{
	"plainEdges":    "hides the fast forms of another term",
	"mapped":        "a Bundle that is given its features, as the suite runs it",
	"signedLaplace": "a Signs that is given its features, as the suite runs it",
}

// TestRegistry fails when a type of this package is a term or a constraint and no table runs it.
func TestRegistry(t *testing.T) {
	tested := map[string]bool{}
	for _, r := range edgeTable {
		tested[testkit.TypeName(r.make())] = true
	}
	for _, r := range nodeTable {
		tested[testkit.TypeName(r.make())] = true
	}
	for _, r := range constraintTable {
		tested[testkit.TypeName(r.make())] = true
	}
	for _, p := range energy.Constraints.Parts {
		tested[testkit.TypeName(p.New)] = true
	}
	found := slices.Concat(testkit.Types(t, ".", "Edge", "Params"), testkit.Types(t, ".", "Node", "Params"),
		testkit.Types(t, ".", "Prox", "Value", "Convex"))
	for _, name := range found {
		if !tested[name] && untested[name] == "" {
			t.Errorf("%s is a term or a constraint and stands in no table: add it to edgeTable, nodeTable or "+
				"constraintTable", name)
		}
	}
	for name := range untested {
		if !slices.Contains(found, name) {
			t.Errorf("%s needs no exception any more", name)
		}
	}
	for _, must := range []string{"laplace", "onEdges", "both", "score", "plainEdges"} {
		if !slices.Contains(found, must) {
			t.Errorf("the search for terms does not find %s", must)
		}
	}
}
