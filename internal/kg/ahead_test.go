package kg

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestAhead: batches that are drawn ahead, in any order and with epochs between, are those that are drawn when asked
// for.
func TestAhead(t *testing.T) {
	var facts []graph.Triple
	for i := range uint64(60) {
		facts = append(facts, graph.Triple{U: int32(mat.Mix(1, i) % 20), R: int32(i % 3), V: int32(mat.Mix(2, i) % 20)})
	}
	g, err := graph.Build(graph.Spec{Nodes: 20, Relations: 3, Triples: facts})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Batch: 7, Negatives: Negatives{PerSide: 3}, Seed: 4}.filled()
	var both [2]*drawnFalse
	for k := range both {
		both[k] = newDrawnFalse(c, g)
	}
	both[0].ahead, both[1].ahead = nil, newAhead(both[1])
	for _, at := range [][2]int{
		{1, 0}, {1, 1}, {1, 2}, {1, 2}, {2, 0}, {2, 1}, {1, 2}, {1, 7}, {3, 4}, {3, 5}, {3, 0},
	} {
		for _, d := range both {
			d.shuffle(uint64(at[0]))
			if err := d.loadBatch(at[1]); err != nil {
				t.Fatal(err)
			}
		}
		a, b := both[0].now, both[1].now
		if !slices.Equal(a.list, b.list) || !slices.Equal(a.end, b.end) || !slices.Equal(a.relation, b.relation) ||
			!slices.Equal(a.answer, b.answer) {
			t.Errorf("batch %d of epoch %d is another one when it is drawn ahead", at[1], at[0])
		}
	}
	both[1].ahead.forget()
}
