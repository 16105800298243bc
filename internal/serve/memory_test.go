package serve

import (
	"fmt"
	"slices"
	"testing"
)

// TestNothingStays: asking about new rows, what would be if, edits that cannot be made and edits that are taken back
// leave no rows behind.
func TestNothingStays(t *testing.T) {
	for _, recipe := range []string{"base", "gcn"} {
		s, err := New(t.Context(), Options{}, nil, trained(t, recipe))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		m := s.models()[0]
		before := m.graph.state.Nodes()
		for i := range 5 {
			edits := []Edit{{AddNode: &Row{ID: fmt.Sprint("x", i), Features: []float64{1, 0, 0, 1}}},
				{AddEdge: &Pair{fmt.Sprint("x", i), "n3"}}}
			if _, err := m.WhatIf(t.Context(), edits, []string{"n3"}); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Edit(t.Context(), append(edits, Edit{RemoveNode: "nobody"})); err == nil {
				t.Fatal("a node that is not there was removed")
			}
			if _, err := m.Edit(t.Context(), edits); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Undo(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		g := m.graph
		kept := []int{len(g.hidden.own), len(g.names.own), len(g.named.own), len(g.rows.own)}
		if n := g.state.Nodes(); n != before || slices.Max(kept) > 0 {
			t.Errorf("%s: %d nodes, %d before; hidden, names, named, rows: %v", recipe, n, before, kept)
		}
	}
}
