package path

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// messages are m(h_u, e_r) in terms of package energy. The message of RotatE multiplies by complex numbers of any
// modulus.
var messages = map[Message]energy.QueryModel{
	DistMult: energy.DistMult, TransE: energy.TransE(energy.NormSquared, 0), RotatE: energy.ComplEx,
}

// aggregates are the same for aggregates.
var aggregates = map[Aggregate]energy.Aggregate{
	Sum: energy.AggregateSum, PNA: energy.AggregatePNA, PNAFused: energy.AggregatePNAFused,
}

// Lower returns the energy that the layers descend for a query, (head, relation, ?), on g: energy.Received on the
// graph with inverse relations, x being the query's embedding at the head. relation counts inverse ones from
// len(m.Names) on. This is the definition of the model where layers share their weights:
//
//	l, err := m.Lower(g, head, relation)
//	states := descent.Run(m.Algorithm(), l, l.X, m.Layers).H
//
// Otherwise every layer is a step on an energy of its own; see Lowers.
//
// Training and queries compute the same states by a fused form that has no row per edge and no rows that no answer
// needs.
func (m *Model) Lower(g *graph.Graph, head, relation int32) (*energy.Lower, error) {
	list, err := m.Lowers(g, head, relation)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Lowers returns the energies of all layers, or the one that they share. Layer i is a step of m.Algorithms()[i].
func (m *Model) Lowers(g *graph.Graph, head, relation int32) ([]*energy.Lower, error) {
	if err := fits(g, m.Names); err != nil {
		return nil, err
	}
	n := newNet(g, len(m.Names))
	for _, x := range []struct {
		what       string
		id, number int
	}{{"head", int(head), n.nodes}, {"relation", int(relation), m.numRelations()}} {
		if x.id < 0 || x.id >= x.number {
			return nil, fmt.Errorf("path: %s %d of %d", x.what, x.id, x.number)
		}
	}
	seen := m.seenFrom(n, query{head: head, relation: relation})
	on, err := graph.Build(graph.Spec{Nodes: n.nodes, Relations: m.numRelations(), Triples: seen})
	if err != nil {
		return nil, err
	}
	q, e := m.vectorsFor(n, mat.MustIndex([]int32{relation}, m.numRelations()))
	var list []*energy.Lower
	for k, e := range m.byLayer(e) {
		l := &energy.Lower{On: energy.NewStructure(on), X: q.SegmentSum(mat.MustIndex([]int32{head}, n.nodes))}
		l.F, l.Kappa = energy.Received{Message: messages[m.Message], Aggregate: aggregates[m.Aggregate],
			Phi: m.steps[k].phi, Psi: m.steps[k].psi, E: e, Train: m.relationParams()}.Terms()
		list = append(list, l)
	}
	return list, nil
}

// seenFrom returns the edges that a query sees: all, or those between the entities that it keeps.
func (m *Model) seenFrom(n *net, q query) (seen []graph.Triple) {
	if m.Keep > 0 {
		near := newNearby(m, n)
		near.within(newView(n, false), q)
		for i, r := range near.by {
			seen = append(seen, graph.Triple{U: near.kept[near.from[i]], R: r, V: near.kept[near.to[i]]})
		}
		return seen
	}
	for e := range n.edges() {
		seen = append(seen, graph.Triple{U: n.source[e], R: n.relation[e], V: n.target[e]})
	}
	return seen
}

// Algorithm returns A, of which the model takes Layers steps from H⁽⁰⁾ = x.
func (m *Model) Algorithm() descent.Algorithm { return m.Algorithms()[0] }

// Algorithms returns A of every layer, or the one that they share.
func (m *Model) Algorithms() (list []descent.Algorithm) {
	for _, s := range m.steps {
		list = append(list, descent.Rectified(s.bias, s.scale, s.shift))
	}
	return list
}

// relationParams returns what e is computed from.
func (m *Model) relationParams() []*ad.Param {
	switch m.Relations {
	case Free:
		return []*ad.Param{m.free}
	case Graph:
		return m.related.params()
	}
	return []*ad.Param{m.query, m.relationW, m.relationB}
}
