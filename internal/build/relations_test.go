package build

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// TestByType: edges of one relation between ends of other types have other relations; nothing else changes.
func TestByType(t *testing.T) {
	ids := []string{"http://a#bond1", "http://a#d12_3", "http://a#d4", "http://a#Carbon-22", `"1"^^<http://x#int>`,
		"_:b7"}
	g, err := graph.Build(graph.Spec{Nodes: 6, Relations: 2, Triples: []graph.Triple{
		{U: 0, R: 1, V: 1}, {U: 1, R: 0, V: 4}, {U: 2, R: 1, V: 3}, {U: 0, R: 1, V: 2}, {U: 5, R: 0, V: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ByType(&dataset.Dataset{Graph: g, IDs: dataset.NewIDs(ids), Relations: []string{"p", "q"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"p: http://a#d → literal", "p: blank → literal", "q: http://a#bond → http://a#d",
		"q: http://a#d → http://a#"}
	if !slices.Equal(d.Relations, want) {
		t.Errorf("relations %q, want %q", d.Relations, want)
	}
	if got := d.Graph.Relations(); !slices.Equal(got, []int32{2, 0, 3, 2, 1}) {
		t.Errorf("edges have relations %v", got)
	}
	if !slices.Equal(d.Graph.Sources(), g.Sources()) || !slices.Equal(d.Graph.Targets(), g.Targets()) {
		t.Error("edges have other ends")
	}
	if g.NumRelations() != 2 {
		t.Error("the given graph was changed")
	}
}

// TestByTypeOfTyped: where nodes have types, those split.
func TestByTypeOfTyped(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 3, Undirected: true, NodeTypes: []int32{0, 1, 1},
		Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ByType(&dataset.Dataset{Graph: g, Types: []string{"a", "b"}, Relations: []string{"r"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"r: a → b", "r: b → b"}; !slices.Equal(d.Relations, want) || d.Graph.NumTypes() != 2 ||
		!d.Graph.Undirected() {
		t.Errorf("relations %q, want %q", d.Relations, want)
	}
}
