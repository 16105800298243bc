package serve

import (
	"fmt"
	"testing"
)

// TestNothingStays: asking about new rows, what would be if, edits that cannot be made and edits that are taken back
// leave no rows behind.
func TestNothingStays(t *testing.T) {
	for _, o := range []Options{{}, {Settle: true}} {
		s, err := New(o, nil, trained(t, "base"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		m := s.models()[0]
		before := m.graph.state.Nodes()
		for i := range 5 {
			edits := []Edit{{AddNode: &Row{ID: fmt.Sprint("x", i), Features: []float64{1, 0, 0, 1}}},
				{AddEdge: &Pair{fmt.Sprint("x", i), "n3"}}}
			if _, err := m.WhatIf(edits, []string{"n3"}); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Edit(append(edits, Edit{RemoveNode: "nobody"})); err == nil {
				t.Fatal("a node that is not there was removed")
			}
			if _, err := m.Edit(edits); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Undo(); err != nil {
				t.Fatal(err)
			}
		}
		g := m.graph
		if n := g.state.Nodes(); n != before || len(g.hidden)+len(g.names)+len(g.rows)+len(g.named) > 0 {
			t.Errorf("settle %v: %d nodes, %d before; %d hidden, %d names, %d rows", o.Settle, n, before, len(g.hidden),
				len(g.names), len(g.rows))
		}
	}
}
