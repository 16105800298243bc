package kg

import (
	"errors"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestResettled: on the same facts entities of the lower level come out where they were; without facts about an entity
// it comes out elsewhere, and the model that was asked stays as it is.
func TestResettled(t *testing.T) {
	d := smallData(t, 60, 3, 400)
	for name, c := range ways() {
		m := fit(t, c, d, 6)
		before := slices.Clone(m.H.Value().Slice())
		again, err := m.Resettled(d.Graph)
		if !c.filled().Model.Compare().Expands() {
			var bad *Bad
			if !errors.As(err, &bad) || bad.Key != "model" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if name == "bilevel" && !slices.Equal(again.H.Value().Slice(), before) {
			t.Error("the lower level comes out elsewhere")
		}
		var rest []graph.Triple
		for _, f := range d.Graph.Triples() {
			if f.U != 7 && f.V != 7 {
				rest = append(rest, f)
			}
		}
		g, err := graph.Build(graph.Spec{Nodes: 60, Relations: 3, Triples: rest})
		if err != nil {
			t.Fatal(err)
		}
		without, err := m.Resettled(g)
		if err != nil {
			t.Fatal(err)
		}
		row := func(m *Model) []mat.Real { return m.H.Value().Slice()[7*m.H.Cols() : 8*m.H.Cols()] }
		if slices.Equal(row(without), row(again)) {
			t.Errorf("%s: without its facts entity 7 is still at %v", name, row(without))
		}
		if !slices.Equal(m.H.Value().Slice(), before) || again.E != m.E ||
			(again.Config.Bilevel == nil) != (c.Bilevel == nil) {
			t.Errorf("%s: the model changed", name)
		}
	}
}
