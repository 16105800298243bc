package generate

import (
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// closure derives all facts of kinship from those about parents in a graph, by the rules as they
// stand above family, pair by pair.
func closure(g *graph.Graph) *graph.TripleSet {
	n := int32(g.NumNodes())
	known := graph.NewTripleSet(g.Undirected(), g.Triples())
	has := func(u, r, v int32) bool { return known.Has(graph.Triple{U: u, R: r, V: v}) }
	parents := make([][]int32, n)
	for p := range n {
		for v := range n {
			if has(p, parentOf, v) {
				parents[v] = append(parents[v], p)
			}
		}
	}
	siblings := func(x, y int32) bool {
		for _, p := range parents[x] {
			if x != y && has(p, parentOf, y) {
				return true
			}
		}
		return false
	}
	var facts []graph.Triple
	for x := range n {
		for y := range n {
			if siblings(x, y) {
				facts = append(facts, graph.Triple{U: x, R: siblingOf, V: y})
			}
			for _, p := range parents[y] {
				if has(x, parentOf, p) {
					facts = append(facts, graph.Triple{U: x, R: grandparentOf, V: y},
						graph.Triple{U: y, R: grandchildOf, V: x})
				}
				if siblings(x, p) {
					facts = append(facts, graph.Triple{U: x, R: uncleOf, V: y}, graph.Triple{U: y, R: nephewOf, V: x})
				}
				for _, q := range parents[x] {
					if siblings(q, p) {
						facts = append(facts, graph.Triple{U: x, R: cousinOf, V: y})
					}
				}
			}
		}
	}
	return graph.NewTripleSet(false, facts)
}

// TestFamily derives every derived fact of both graphs from the training graph alone, and no other.
func TestFamily(t *testing.T) {
	d := generated(t, "family:families=3,twin=2,seed=5")
	for _, d := range []*dataset.Dataset{d, d.Twin} {
		derived := closure(d.Graph)
		told, train := 0, 0
		for _, f := range d.Graph.Triples() {
			if f.R == parentOf || f.R == childOf || f.R == spouseOf {
				told++
			} else {
				train++
				if !derived.Has(f) {
					t.Fatalf("%v does not follow", f)
				}
			}
		}
		for _, f := range append(d.Valid, d.Test...) {
			if !derived.Has(f) {
				t.Fatalf("%s –%s→ %s does not follow", d.IDs.At(f.U), d.Relations[f.R], d.IDs.At(f.V))
			}
		}
		held := len(d.Valid) + len(d.Test)
		if derived.Len() != train+held || graph.NewTripleSet(false, d.Graph.Triples(), d.Valid,
			d.Test).Len() != told+train+held {
			t.Errorf("%d facts follow, %d are in the training graph and %d are held out", derived.Len(), train, held)
		}
		if p := float64(held) / float64(derived.Len()); p < 0.29 || p > 0.31 || len(d.Valid) != len(d.Test) {
			t.Errorf("the share %v is held out, %d and %d", p, len(d.Valid), len(d.Test))
		}
		if d.Graph.Stats().Components != map[bool]int{true: 3, false: 2}[d.Twin != nil] {
			t.Errorf("%d families", d.Graph.Stats().Components)
		}
	}
	for v := range int32(d.Twin.Graph.NumNodes()) {
		if name := d.Twin.IDs.At(v); len(d.IDs.Find(name, d.Graph.NumNodes())) > 0 {
			t.Errorf("%s lives in both graphs", name)
		}
	}
}

// TestFamilyNames looks for two people of one name in as many and as large families as the keys
// allow.
func TestFamilyNames(t *testing.T) {
	seen := map[string]bool{}
	given := make([]int, len(givenNames))
	for i := range given {
		given[i] = i
	}
	for f := range 1500 {
		for _, i := range []int{0, 47, 48, 95, 96, 1200} {
			name := personName(given, i, f)
			if seen[name] {
				t.Fatalf("two people are called %s", name)
			}
			seen[name] = true
		}
	}
}
