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
	scores ad.Var // a row per node, by number, or per node kept
	values []mat.Real
	nodes  []mat.Real // the values by node
}

// newScorer prepares queries about g.
func newScorer(m *Model, g *graph.Graph) (*scorer, error) {
	all, err := m.rowsOf(g)
	if err != nil {
		return nil, err
	}
	return newScorerOf(m, all), nil
}

// rowsOf returns all nodes of g.
func (m *Model) rowsOf(g *graph.Graph) (*rows, error) {
	if err := fits(g, m.Names); err != nil {
		return nil, err
	}
	v := newView(newNet(g, len(m.Names)), m.pna())
	all := newRows(v, capacity{v.nodes, v.edges()}, nil, m.listsMessages())
	all.fillAll()
	return all, nil
}

// newScorerOf is newScorer for the graph of all. Several may be at work at the same time.
func newScorerOf(m *Model, all *rows) *scorer {
	f := newScope(all, m.layoutOf(all.net))
	a := &scorer{scope: f, values: make([]mat.Real, f.last().room), nodes: make([]mat.Real, all.net.nodes)}
	a.scores = newPass(m, f, m.vectorsOf(f)).allScores()
	a.prog = ad.Compile(a.scores)
	return a
}

// run asks a query.
func (a *scorer) run(q query) error {
	if err := a.setQuery(q, nil); err != nil {
		return err
	}
	if err := a.prog.Run(); err != nil {
		return err
	}
	a.prog.Value(a.scores).Read(a.values)
	return nil
}

// byNode returns the scores of all nodes for the query of the last run, valid until the next.
func (a *scorer) byNode() []mat.Real {
	at := a.last().at
	for v := range a.nodes {
		a.nodes[v] = a.values[at[v]]
	}
	return a.nodes
}
