package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// kinds maps the kinds of warnings to their counts.
func kinds(d *dataset.Dataset) map[string]int {
	found := map[string]int{}
	for _, w := range Describe(d).Warnings {
		found[w.Kind] = w.Count
	}
	return found
}

// TestNodeLeaks plants every fault of a node set in a sound one.
func TestNodeLeaks(t *testing.T) {
	sound := func() *dataset.Dataset {
		d := nodeSet(t, []int32{0, 1, 0, 1, 0, 1}, 2, [2]int32{0, 1}, [2]int32{2, 3}, [2]int32{1, 4})
		d.Splits = []dataset.Split{{Train: []int32{0, 1}, Valid: []int32{2, 3}, Test: []int32{4, 5}}}
		d.Features = []dataset.Matrix{{Rows: 6, Cols: 2, Values: []mat.Real{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}}
		return d
	}
	for _, c := range []struct {
		kind  string
		count int
		plant func(*dataset.Dataset)
	}{
		{"", 0, func(*dataset.Dataset) {}},
		{overlappingParts, 1, func(d *dataset.Dataset) { d.Splits[0].Valid = []int32{1, 2, 3} }},
		{overlappingParts, 2, func(d *dataset.Dataset) {
			d.Splits = append(d.Splits, dataset.Split{Train: []int32{0, 1}, Valid: []int32{0, 1}, Test: []int32{5}})
		}},
		{unlabelledNodes, 1, func(d *dataset.Dataset) { d.Labels.Class[2] = -1 }},
		{untaughtClasses, 1, func(d *dataset.Dataset) { d.Splits[0].Train = []int32{0} }},
		{equalFeatures, 1, func(d *dataset.Dataset) { copy(d.Features[0].Values[8:], []mat.Real{3, 4}) }},
		{"", 0, func(d *dataset.Dataset) { clear(d.Features[0].Values[2:4]); clear(d.Features[0].Values[8:10]) }},
		{futureEdges, 1, func(d *dataset.Dataset) { d.Times = []int64{1, 1, 2, 1, 3, 3} }},
		{"", 0, func(d *dataset.Dataset) { d.Times = []int64{1, 1, 2, 1, 1, 3} }}, // not a split by time
	} {
		d := sound()
		c.plant(d)
		found := kinds(d)
		if c.kind == "" && len(found) > 0 || c.kind != "" && (len(found) != 1 || found[c.kind] != c.count) {
			t.Errorf("planted %q %d, found %v", c.kind, c.count, found)
		}
	}
}

// linkSet is a link set of 14 entities.
func linkSet(t *testing.T, relations int, train, valid, test []graph.Triple) *dataset.Dataset {
	t.Helper()
	g, err := graph.Build(graph.Spec{Nodes: 14, Relations: relations, Triples: train})
	if err != nil {
		t.Fatal(err)
	}
	return &dataset.Dataset{Graph: g, Valid: valid, Test: test, Relations: []string{"likes", "liked_by"}[:relations]}
}

// TestTripleLeaks plants every fault of a link set.
func TestTripleLeaks(t *testing.T) {
	var chain []graph.Triple // through all entities but 13
	for v := range int32(12) {
		chain = append(chain, graph.Triple{U: v, V: v + 1})
	}
	chain = slices.Clip(chain)
	back := func(ts []graph.Triple) []graph.Triple {
		var b []graph.Triple
		for _, f := range ts {
			b = append(b, graph.Triple{U: f.V, R: 1, V: f.U})
		}
		return b
	}
	twin := linkSet(t, 1, chain, nil, []graph.Triple{{U: 0, V: 2}})
	twin.IDs = dataset.NewIDs(strings.Split("a x y z b 5 6 7 8 9 10 11 12 13", " "))
	pair := linkSet(t, 1, chain, nil, []graph.Triple{{U: 0, V: 2}})
	pair.IDs, pair.Twin = dataset.NewIDs(strings.Split("a b c d e f g h i j k l m n", " ")), twin
	for _, c := range []struct {
		name string
		d    *dataset.Dataset
		want map[string]int
	}{
		{"sound", linkSet(t, 1, chain, []graph.Triple{{U: 1, V: 3}}, []graph.Triple{{U: 0, V: 2}}), nil},
		{"in two parts", linkSet(t, 1, chain, []graph.Triple{{U: 0, V: 1}, {U: 0, V: 2}},
			[]graph.Triple{{U: 0, V: 2}, {U: 1, V: 2}}), map[string]int{repeatedTriples: 3}},
		{"unseen", linkSet(t, 1, chain, nil, []graph.Triple{{U: 13, V: 2}}), map[string]int{UnseenEntities: 1}},
		{"turned round", linkSet(t, 1, chain, nil, []graph.Triple{{U: 1, V: 0}, {U: 2, V: 0}}),
			map[string]int{InverseTriples: 1}},
		{"too few to be inverse", linkSet(t, 2, append(back(chain[3:]),
			append(chain, graph.Triple{U: 0, R: 1, V: 4}, graph.Triple{U: 0, R: 1, V: 5},
				graph.Triple{U: 0, R: 1, V: 6})...), nil, []graph.Triple{{U: 4, R: 0, V: 0}, {U: 1, R: 1, V: 0}}),
			map[string]int{}},
		{"mostly inverse", linkSet(t, 2, append(back(chain), append(chain, graph.Triple{U: 0, R: 1, V: 4})...), nil,
			[]graph.Triple{{U: 4, R: 0, V: 0}, {U: 0, R: 1, V: 2}}),
			map[string]int{InverseTriples: 1}},
		{"twin", pair, map[string]int{sharedEntities: 2}},
	} {
		found := kinds(c.d)
		if len(found) != len(c.want) {
			t.Errorf("%s: found %v, want %v", c.name, found, c.want)
		}
		for k, n := range c.want {
			if found[k] != n {
				t.Errorf("%s: found %v, want %v", c.name, found, c.want)
			}
		}
	}
	d := linkSet(t, 2, append(back(chain[1:]), chain...), nil, []graph.Triple{{U: 1, R: 1, V: 0}})
	warnings := Describe(d).Warnings
	if len(warnings) != 1 || warnings[0].Text != "1 of 1 test triples are in the graph with head and tail swapped: "+
		"liked_by turns likes round" {
		t.Errorf("%v", warnings)
	}
}
