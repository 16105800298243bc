package inspect

import (
	"fmt"
	"math/rand/v2"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// Sizes of the built-in graph.
const (
	Dim       = 4 // d, and the number of classes
	relations = 3
)

// world is a random graph with features and labels: a function of the seed.
type world struct {
	place *recipe.Place
	start ad.Var
	graph Graph
}

// newWorld returns a random graph of the kind that r is meant for.
func newWorld(r *recipe.Recipe, nodes int, seed uint64) (*world, error) {
	kind, err := r.Edges()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	on, err := RandomGraph(rng, kind, nodes)
	if err != nil {
		return nil, err
	}
	w := &world{place: &recipe.Place{On: on, Dim: Dim, Seed: seed}}
	p := w.place
	p.Pi = ad.Input(normal(nodes, Dim, mat.Mix(seed, 1)))
	p.X = ad.Const(normal(nodes, max(1, nodes/3), mat.Mix(seed, 2)))
	w.start = p.Pi
	if r.FromQuery() {
		p.X = query(nodes, seed)
		w.start = p.X
	}
	if r.FromLabels() {
		w.label(rng)
		w.start = p.Labels
	}
	w.graph = Graph{nodes, on.Graph.NumEdges(), on.Graph.NumRelations(), Dim, seed, KindOf(kind)}
	return w, nil
}

// KindOf returns the words for a kind of graph.
func KindOf(k recipe.Edges) string {
	return [...]string{"undirected", "directed", "directed with inverse relations", "directed with false edges"}[k]
}

// RandomGraph returns a graph in which every node has an edge: a ring, and the same number of random edges.
func RandomGraph(rng *rand.Rand, kind recipe.Edges, nodes int) (*energy.Structure, error) {
	spec := graph.Spec{Nodes: nodes, Undirected: kind == recipe.Undirected, Relations: 1,
		DropDuplicates: true, Loops: graph.DropLoops}
	if !spec.Undirected {
		spec.Relations = relations
	}
	draw := func(u, v int) graph.Triple {
		return graph.Triple{U: int32(u), R: int32(rng.IntN(spec.Relations)), V: int32(v)}
	}
	for v := range nodes {
		spec.Triples = append(spec.Triples, draw(v, (v+1)%nodes))
	}
	for range nodes {
		spec.Triples = append(spec.Triples, draw(rng.IntN(nodes), rng.IntN(nodes)))
	}
	g, err := graph.Build(spec)
	if err != nil {
		return nil, fmt.Errorf("random graph: %w", err)
	}
	switch kind {
	case recipe.Inverses:
		if g, err = g.WithInverse(); err != nil {
			return nil, err
		}
	case recipe.Signed:
		var false_ []graph.Triple
		for range g.NumEdges() {
			false_ = append(false_, draw(rng.IntN(nodes), rng.IntN(nodes)))
		}
		return energy.WithNegatives(g, false_)
	}
	return energy.NewStructure(g), nil
}

// label gives every third node a label.
func (w *world) label(rng *rand.Rand) {
	nodes := w.place.On.Graph.NumNodes()
	classes := make([]int32, nodes)
	for v := range classes {
		classes[v] = int32(rng.IntN(Dim))
		if v%3 == 0 {
			w.place.Known = append(w.place.Known, int32(v))
		}
	}
	w.place.Labels = energy.Labels(mat.MustIndex(classes, Dim), mat.MustIndex(w.place.Known, nodes))
}

// query is x_v = q for node 0 and 0 for the others.
func query(nodes int, seed uint64) ad.Var {
	first := mat.MustIndex([]int32{0}, nodes)
	return ad.Const(ad.Eval(ad.Const(normal(1, Dim, mat.Mix(seed, 3))).SegmentSum(first)))
}

func normal(rows, cols int, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Normal(m, 0, 1.5, seed)
	return m
}
