package graph

import (
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// Triple is the edge u –r→ v.
type Triple struct{ U, R, V int32 }

// Graph is G = {V, R, E}: nodes, relations and edges u –r→ v, none of which ever change.
// Undirected edges are stored once and count once in Σ_E; see the package comment.
type Graph struct {
	nodes, relations, types int
	undirected              bool
	inverses                bool // the upper half of the relations are inverses of the lower

	src, rel, dst []int32    // one entry per edge
	weight        []mat.Real // one per edge, nil when all are 1
	features      Features   // of edges
	nodeType      []int32    // one per node, nil when there is one type
	origin        []int32    // position in Spec.Triples per edge, nil when it is the edge id
	report        Report

	in, out, adjacency func() Pattern
	byRelation         func() groups
}

// finish makes patterns lazy: each is built once, on first use.
func (g *Graph) finish() *Graph {
	g.in = sync.OnceValue(func() Pattern { return newPattern(g.dst, g.src, nil, g.nodes, g.nodes) })
	g.out = sync.OnceValue(func() Pattern { return g.in().transpose() })
	g.adjacency = sync.OnceValue(g.newAdjacency)
	g.byRelation = sync.OnceValue(func() groups { return groupBy(g.rel, g.relations) })
	return g
}

// NumNodes returns |V|.
func (g *Graph) NumNodes() int { return g.nodes }

// NumEdges returns |E|; an undirected edge counts once.
func (g *Graph) NumEdges() int { return len(g.src) }

// NumRelations returns |R|.
func (g *Graph) NumRelations() int { return g.relations }

// NumTypes returns the number of node types, 1 when none were given.
func (g *Graph) NumTypes() int { return g.types }

// Undirected reports whether edges hold in both directions.
func (g *Graph) Undirected() bool { return g.undirected }

// Edge returns edge e, in the orientation it was given.
func (g *Graph) Edge(e int32) Triple { return Triple{g.src[e], g.rel[e], g.dst[e]} }

// Sources returns u for every edge.
func (g *Graph) Sources() []int32 { return g.src }

// Relations returns r for every edge.
func (g *Graph) Relations() []int32 { return g.rel }

// Targets returns v for every edge.
func (g *Graph) Targets() []int32 { return g.dst }

// Weights returns one weight per edge, or nil when all are 1.
func (g *Graph) Weights() []mat.Real { return g.weight }

// Features returns what is known of edges besides their weights; Cols is 0 if there are no features.
func (g *Graph) Features() Features { return g.features }

// WithEdges returns the same graph with other weights, nil for 1, and features of its edges; it keeps their slices.
func (g *Graph) WithEdges(weights []mat.Real, f Features) (*Graph, error) {
	s := Spec{Sources: g.src, Weights: weights, Features: f}
	if err := s.checkWeights(); err != nil {
		return nil, err
	}
	w := *g
	w.weight, w.features = weights, f
	return &w, nil
}

// NodeTypes returns one type per node, or nil when there is one type.
func (g *Graph) NodeTypes() []int32 { return g.nodeType }

// Report returns what Build dropped and added.
func (g *Graph) Report() Report { return g.report }

// Origins returns for every edge its position in Spec.Triples, −1 for an added self loop. It is
// nil when Build dropped and added nothing, edge ids then being those positions. After WithInverse
// an edge and its inverse have the same origin; a part (Induced) has none.
func (g *Graph) Origins() []int32 { return g.origin }

// Triples returns a copy of all edges in the order of their ids.
func (g *Graph) Triples() []Triple {
	t := make([]Triple, len(g.src))
	for e := range t {
		t[e] = g.Edge(int32(e))
	}
	return t
}

// weightOf returns the weight of edge e; the edge −1 is an added self loop of weight 1.
func (g *Graph) weightOf(e int32) mat.Real {
	if g.weight == nil || e < 0 {
		return 1
	}
	return g.weight[e]
}
