package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// scorer answers queries about one graph, one at a time.
type scorer struct {
	*scope
	prog   *ad.Program
	scores ad.Var  // a row per node, by number, or per node kept
	shared *shared // what queries bring along; nil if the program computes it
	own    brought // the same as inputs of the program
	values []mat.Real
	nodes  []mat.Real // the values by node
	adds   *additions // what is added to them; nil unless Send
	asking query
}

// newScorer prepares queries about g.
func newScorer(m *Model, g *graph.Graph) (*scorer, error) {
	all, err := m.rowsOf(g)
	if err != nil {
		return nil, err
	}
	return newScorerOf(m, all, m.shared(all.net)), nil
}

// rowsOf returns all nodes of g.
func (m *Model) rowsOf(g *graph.Graph) (*rows, error) {
	if err := fits(g, m.Names); err != nil {
		return nil, err
	}
	v := newView(newNet(g, len(m.Names)), m.sorts())
	all := newRows(v, capacity{v.nodes, v.edges()}, nil, m.listsMessages())
	all.fillAll()
	return all, nil
}

// newScorerOf is newScorer for the graph of all. Several may be at work at the same time.
func newScorerOf(m *Model, all *rows, with *shared) *scorer {
	f := newScope(all, m.layoutOf(all.net))
	a := &scorer{scope: f, shared: with}
	a.values, a.nodes = make([]mat.Real, f.last().room), make([]mat.Real, all.net.nodes)
	if with == nil {
		a.scores = newPass(m, f, m.vectorsOf(f)).allScores()
	} else {
		a.own = brought{-1, mat.New(1, m.Hidden), mat.New(1, m.vectorColumns())}
		v := vectors{q: ad.Input(a.own.q), layers: m.byLayer(ad.Input(a.own.e))}
		a.scores = newPass(m, f, v).allScores()
	}
	a.prog, a.adds = ad.Compile(a.scores), m.additions(all.net)
	return a
}

// run asks a query.
func (a *scorer) run(q query) error {
	if err := a.setQuery(q, nil); err != nil {
		return err
	}
	a.asking = q
	if err := a.bring(q.relation); err != nil {
		return err
	}
	if err := a.prog.Run(); err != nil {
		return err
	}
	a.prog.Value(a.scores).Read(a.values)
	return nil
}

// bring puts what queries of a relation bring along in place.
func (a *scorer) bring(relation int32) error {
	if a.shared == nil || a.own.relation == relation {
		return nil
	}
	b, err := a.shared.broughtBy(relation)
	if err != nil {
		return err
	}
	mat.Copy(a.own.q, b.q)
	mat.Copy(a.own.e, b.e)
	a.own.relation = relation
	return nil
}

// byNode returns the scores of all nodes for the query of the last run, valid until the next.
func (a *scorer) byNode() []mat.Real {
	at := a.last().at
	for v := range a.nodes {
		a.nodes[v] = a.values[at[v]]
	}
	a.adds.addTo(a.nodes, a.view, a.asking)
	return a.nodes
}
