package path

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
)

// TestParts: the facts of a part are facts of the graph, under one renumbering of entities and of relations, and parts
// differ in what they leave out.
func TestParts(t *testing.T) {
	const nodes, relations = 300, 6
	facts := randomFacts(nodes, relations, 4000, 5)
	g := mustBuild(t, nodes, relations, facts)
	o := Parts{Count: 12, Entities: 200, Thin: 0.5, Seed: 3}
	parts, err := o.Draw(g)
	if err != nil || len(parts) != o.Count {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	again, err := o.Draw(g)
	if err != nil {
		t.Fatal(err)
	}
	// How often an entity is in facts bounds how often its number is in a part.
	degrees := slices.Sorted(slices.Values(g.Degrees(graph.Either)))
	fewer := 0
	for i, p := range parts {
		if !slices.Equal(p.Triples(), again[i].Triples()) {
			t.Errorf("part %d differs the second time", i)
		}
		if p.NumNodes() > o.Entities || p.NumNodes() < o.Entities/8 || p.NumEdges() < leastFacts ||
			p.NumRelations() > relations {
			t.Errorf("part %d has %d entities, %d relations, %d facts", i, p.NumNodes(), p.NumRelations(), p.NumEdges())
		}
		if p.NumRelations() < relations {
			fewer++
		}
		own := slices.Sorted(slices.Values(p.Degrees(graph.Either)))
		for k := 1; k <= len(own); k++ {
			if own[len(own)-k] > degrees[len(degrees)-k] {
				t.Errorf("part %d: entity with %d facts", i, own[len(own)-k])
			}
		}
		for r := range int32(p.NumRelations()) {
			if len(p.RelationEdges(r)) == 0 {
				t.Errorf("part %d: relation %d has no fact", i, r)
			}
		}
	}
	if fewer == 0 || fewer == len(parts) {
		t.Errorf("%d of %d parts leave relations out", fewer, len(parts))
	}
	if _, err := (Parts{Count: 1, Entities: 10}).Draw(mustBuild(t, 20, 1, randomFacts(20, 1, 15, 1))); err == nil {
		t.Error("a part of a graph with 16 facts")
	}
}

// TestPartIsInduced: a part that leaves nothing out has all facts among its entities.
func TestPartIsInduced(t *testing.T) {
	g := mustBuild(t, 40, 2, randomFacts(40, 2, 120, 9))
	d := newDrawing(g, 1)
	d.grow(15)
	p, err := d.induced(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[graph.Triple]int{}
	for _, f := range g.Triples() {
		if d.entity[f.U] > 0 && d.entity[f.V] > 0 {
			want[graph.Triple{U: d.entity[f.U] - 1, R: d.relation[f.R] - 1, V: d.entity[f.V] - 1}]++
		}
	}
	for _, f := range p.Triples() {
		want[f]--
	}
	for f, n := range want {
		if n != 0 {
			t.Errorf("%v is there %d times too few", f, n)
		}
	}
	if p.NumNodes() != 15 {
		t.Errorf("%d entities", p.NumNodes())
	}
}

// TestMixture: an epoch has every batch of every graph once, or the most that are asked for, with the loss and the
// derivatives that a trainer of that graph has, one by one and side by side.
func TestMixture(t *testing.T) {
	c := graphVariant()
	graphs := []*graph.Graph{
		mustBuild(t, 25, 3, randomFacts(25, 3, 40, 3)), mustBuild(t, 12, 5, randomFacts(12, 5, 16, 4)),
	}
	for _, most := range []int{0, 3} {
		m := newTrainer(t, c, graphs[0]).Model
		x, err := NewMixture(m, graphs, most)
		if err != nil {
			t.Fatal(err)
		}
		want := map[float64]int{}
		batches := 0
		for _, g := range graphs {
			own, err := NewTrainer(m.on(g), g)
			if err != nil {
				t.Fatal(err)
			}
			for i := range own.Batches() {
				if most > 0 && i >= most {
					break
				}
				if err := own.Batch(2, i); err != nil {
					t.Fatal(err)
				}
				batches++
				want[float64(own.Loss().Item())]++
			}
		}
		if x.Batches() != batches {
			t.Errorf("%d batches, want %d", x.Batches(), batches)
		}
		for i := range x.Batches() {
			if err := x.Batch(2, i); err != nil {
				t.Fatal(err)
			}
			want[float64(x.Loss().Item())]--
			if len(x.Grads()) != len(x.Params()) {
				t.Errorf("%d derivatives of %d weights", len(x.Grads()), len(x.Params()))
			}
		}
		for loss, n := range want {
			if n != 0 {
				t.Errorf("most %d: a batch with loss %v came %d times too few", most, loss, n)
			}
		}
	}
	if _, err := NewMixture(newTrainer(t, Config{Hidden: 4}, graphs[0]).Model, graphs, 0); err == nil {
		t.Error("a mixture for weights that belong to relations")
	}
}
