package path

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/bloomgml/bloom/graph"
)

// net is a graph with the inverse of every edge. Edge e < facts is fact e of the graph; e + facts is its
// inverse, from its tail to its head, with relation r + relations.
type net struct {
	nodes, relations, facts  int
	source, relation, target []int32
	in, out                  lists // edges by target and by source
	arriving                 arrivals
	leaving                  []int32 // the targets of out.edge

	near  []atomic.Pointer[[]int32] // K(h) by head, once nearby has found it
	want  *likely
	wants sync.Once // of want
}

// lists are the edges of every node: the edges of v are edge[first[v]:first[v+1]], ascending.
type lists struct{ first, edge []int32 }

func (l lists) edgesOf(v int32) []int32 { return l.edge[l.first[v]:l.first[v+1]] }

// newNet adds inverses to g, whose relations are a prefix of all.
func newNet(g *graph.Graph, relations int) *net {
	f := g.NumEdges()
	n := &net{nodes: g.NumNodes(), relations: relations, facts: f, near: make([]atomic.Pointer[[]int32], g.NumNodes())}
	n.source = append(append(n.source, g.Sources()...), g.Targets()...)
	n.target = append(append(n.target, g.Targets()...), g.Sources()...)
	n.relation = append(n.relation, g.Relations()...)
	for _, r := range g.Relations() {
		n.relation = append(n.relation, r+int32(relations))
	}
	n.in, n.out = listed(n.target, n.nodes), listed(n.source, n.nodes)
	n.arriving = arrivals{n.in.first, make([]int32, len(n.in.edge)), make([]int32, len(n.in.edge))}
	for i, e := range n.in.edge {
		n.arriving.source[i], n.arriving.relation[i] = n.source[e], n.relation[e]
	}
	n.leaving = make([]int32, len(n.out.edge))
	for i, e := range n.out.edge {
		n.leaving[i] = n.target[e]
	}
	return n
}

// fits checks whether a model of relations with the given names can be used on g.
func fits(g *graph.Graph, relations []string) error {
	if g.NumRelations() > len(relations) {
		return fmt.Errorf("path: a graph of %d relations for a model of %d", g.NumRelations(), len(relations))
	}
	return nil
}

// edges returns the number of edges, inverses included.
func (n *net) edges() int { return len(n.source) }

// inverse returns the edge that says the same the other way round.
func (n *net) inverse(e int32) int32 {
	if int(e) < n.facts {
		return e + int32(n.facts)
	}
	return e - int32(n.facts)
}

// listed lists the positions of ids by id.
func listed(ids []int32, bound int) lists {
	l := lists{make([]int32, bound+1), make([]int32, len(ids))}
	for _, v := range ids {
		l.first[v+1]++
	}
	for v := range bound {
		l.first[v+1] += l.first[v]
	}
	next := append([]int32(nil), l.first[:bound]...)
	for e, v := range ids {
		l.edge[next[v]] = int32(e)
		next[v]++
	}
	return l
}

// query asks which answers are in a relation to head; to ask for the head of a fact, the relation is an inverse one.
type query struct{ head, relation, answer int32 }

// asked returns the two queries of every fact.
func (n *net) asked(facts []graph.Triple) []query {
	var qs []query
	for _, t := range facts {
		qs = append(qs, query{t.U, t.R, t.V}, query{t.V, t.R + int32(n.relations), t.U})
	}
	return qs
}

// marks is a set of numbers that is emptied at once.
type marks struct {
	at  []int32
	now int32
}

func newMarks(n int) marks { return marks{at: make([]int32, n)} }

func (m *marks) clear()           { m.now++ }
func (m *marks) add(i int32)      { m.at[i] = m.now }
func (m *marks) has(i int32) bool { return m.at[i] == m.now }
