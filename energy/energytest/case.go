package energytest

import (
	"math/rand/v2"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// The sizes that a term under test has to fit.
const (
	Nodes     = 9 // rows of H, Pi and X
	Dim       = 4 // their columns
	Relations = 4 // of the graph
	Features  = 2 // of every edge
)

// world is one graph to run a term on.
type world struct {
	name     string
	spec     graph.Spec
	negative []bool
	inverse  bool // spec is half of the graph: it is to be joined by its inverse relations
}

// structure returns the graph as energies use it.
func (w world) structure() *energy.Structure {
	g, err := graph.Build(w.spec)
	if err == nil && w.inverse {
		g, err = g.WithInverse()
	}
	if err != nil {
		panic(err)
	}
	if w.negative == nil {
		return energy.NewStructure(g)
	}
	return energy.NewSigned(g, w.negative)
}

// shuffled returns the same graph with its edges in another order.
func (w world) shuffled(seed uint64) world {
	rng := rand.New(rand.NewPCG(seed, 1))
	to := rng.Perm(len(w.spec.Triples))
	s := w.spec
	s.Triples, w.spec.Triples = make([]graph.Triple, len(to)), s.Triples
	if s.Weights != nil {
		s.Weights = make([]mat.Real, len(to))
	}
	var negative []bool
	if w.negative != nil {
		negative = make([]bool, len(to))
	}
	from := make([]int32, len(to))
	for i, k := range to {
		from[k] = int32(i)
		s.Triples[k] = w.spec.Triples[i]
		if s.Weights != nil {
			s.Weights[k] = w.spec.Weights[i]
		}
		if negative != nil {
			negative[k] = w.negative[i]
		}
	}
	s.Features = s.Features.Pick(from)
	return world{w.name, s, negative, w.inverse}
}

// worlds returns the graphs of a suite, a function of the seed.
func worlds(seed uint64) []world {
	rng := rand.New(rand.NewPCG(seed, 2))
	signs := func(n int) []bool {
		x := make([]bool, n)
		for i := range x {
			x[i] = rng.IntN(2) == 0
		}
		return x
	}
	spec := func(edges, relations int, undirected, weights bool) graph.Spec {
		s := graph.Spec{Nodes: Nodes, Relations: relations, Undirected: undirected,
			Triples: messy(rng, edges, relations)}
		if weights {
			s.Weights = weigh(rng, s.Triples)
		}
		return s
	}
	undirected := spec(14, Relations, true, true)
	directed := spec(14, Relations, false, true)
	list := []world{
		{name: "directed", spec: spec(14, Relations, false, false)},
		{name: "directed weighted signed", spec: directed, negative: signs(len(directed.Triples))},
		{name: "undirected", spec: spec(14, Relations, true, false)},
		{name: "undirected weighted signed", spec: undirected, negative: signs(len(undirected.Triples))},
		{name: "with inverse relations", spec: spec(10, Relations/2, false, true), inverse: true},
		{name: "with inverse relations, no weights", spec: spec(10, Relations/2, false, false), inverse: true},
		{name: "ring", spec: graph.Spec{Nodes: Nodes, Relations: Relations, Triples: ring(), Undirected: true}},
		{name: "directed ring", spec: graph.Spec{Nodes: Nodes, Relations: Relations, Triples: ring()}},
		{name: "pairs", spec: graph.Spec{Nodes: Nodes, Relations: Relations, Triples: pairs(), Undirected: true}},
		{name: "no edges", spec: graph.Spec{Nodes: Nodes, Relations: Relations}},
	}
	for i := range list {
		list[i].spec.Features = features(rng, len(list[i].spec.Triples))
	}
	return list
}

// features returns random features for the given number of edges.
func features(rng *rand.Rand, edges int) graph.Features {
	f := graph.Features{Cols: Features}
	for range edges * Features {
		f.Values = append(f.Values, mat.Real(rng.NormFloat64()))
	}
	return f
}

// messy returns random edges that leave the last node isolated and the last relation unused except for one edge, with a
// self loop, two parallel edges and a pair of opposite ones.
func messy(rng *rand.Rand, edges, relations int) []graph.Triple {
	ts := []graph.Triple{{U: 2, V: 2}, {U: 2, R: 1, V: 2}, {U: 0, V: 1}, {U: 0, V: 1}, {U: 1, V: 0},
		{U: 3, R: int32(relations - 1), V: 4}}
	for len(ts) < edges {
		u, v := rng.IntN(Nodes-2), rng.IntN(Nodes-2)
		ts = append(ts, graph.Triple{U: int32(u), R: int32(rng.IntN(max(1, relations-1))), V: int32(v)})
	}
	return append(ts, graph.Triple{U: 0, V: Nodes - 2}) // the only edge of this node
}

// ring returns one edge into and out of every node.
func ring() []graph.Triple {
	var ts []graph.Triple
	for v := range int32(Nodes) {
		ts = append(ts, graph.Triple{U: v, V: (v + 1) % Nodes})
	}
	return ts
}

// pairs returns edges that share no node: there, bounds like D − A ⪯ 2D are equalities.
func pairs() []graph.Triple {
	return []graph.Triple{{U: 0, V: 1}, {U: 2, R: 1, V: 3}, {U: 5, R: 1, V: 4}, {U: 7, R: 3, V: 6}}
}

// weigh gives random weights, and 0 to the last edge: a node whose edges weigh nothing.
func weigh(rng *rand.Rand, ts []graph.Triple) []mat.Real {
	w := make([]mat.Real, len(ts))
	for e := range w {
		w[e] = mat.Real(0.25 + 2*rng.Float64())
	}
	w[len(w)-1] = 0
	return w
}

// random returns a matrix of numbers between −size and size.
func random(rows, cols int, size float64, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, mat.Real(-size), mat.Real(size), seed)
	return m
}
