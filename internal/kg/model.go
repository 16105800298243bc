package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Model is a knowledge graph that has been embedded.
type Model struct {
	Config    Config
	H         *ad.Param // n×d, a row an entity
	E         *ad.Param // one row per relation
	Start     *ad.Param // 1×d, where H starts; of Config.Bilevel alone
	Entities  dataset.IDs
	Relations []string // names; empty if there is one relation without
	Seen      []bool   // by entity: training or Add has seen a fact of it
	// Sample holds some of the Facts training facts: new entities are wrong answers to their questions.
	Sample []graph.Triple
	Facts  int
}

// remembered is the length of Model.Sample.
const remembered = 1024

// newModel has random embeddings for the entities and relations of g.
func newModel(c Config, g *graph.Graph) *Model {
	m := &Model{Config: c}
	m.Remember(g)
	m.H = random("entities", g.NumNodes(), c.Dim, c.Scale, mat.Mix(c.Seed, 1))
	m.E = m.startRelations(g.NumRelations())
	return m
}

// Remember keeps what a model knows of its graph besides embeddings.
func (m *Model) Remember(g *graph.Graph) {
	list := make([]bool, g.NumNodes())
	for e := range g.NumEdges() {
		t := g.Edge(int32(e))
		list[t.U], list[t.V] = true, true
	}
	m.Seen, m.Sample, m.Facts = list, Sample(g.Triples(), remembered, m.Config.Seed), g.NumEdges()
}

// startRelations returns embeddings of r relations: any angle if they are angles, else N(0, Scale²).
func (m *Model) startRelations(r int) *ad.Param {
	c := m.Config
	w, seed := c.Model.Width(c.Dim), mat.Mix(c.Seed, 2)
	if w == c.Dim {
		return random("relations", r, w, c.Scale, seed)
	}
	x := mat.New(r, w)
	mat.Uniform(x, -3.14159, 3.14159, seed)
	return ad.NewParam("relations", x)
}

// random returns a parameter with entries of N(0, sd²).
func random(name string, rows, cols int, sd float64, seed uint64) *ad.Param {
	x := mat.New(rows, cols)
	mat.Normal(x, 0, mat.Real(sd), seed)
	return ad.NewParam(name, x)
}

// operands returns the 2r rows that questions read: row 2r for (u, r, ?), row 2r+1 for (v, r⁻¹, ?).
func (c Config) operands(e ad.Var) ad.Var {
	return ad.Concat(e, c.Model.Inverse(e)).Reshape(2*e.Rows(), e.Cols())
}

// numRelations returns |R|.
func (m *Model) numRelations() int { return m.E.Rows() }

// Sample is at most n of the facts, spread evenly over a shuffled list; all for n = 0.
func Sample(facts []graph.Triple, n int, seed uint64) []graph.Triple {
	if n == 0 || n >= len(facts) {
		return facts
	}
	o := newOrder(len(facts), n, mat.Mix(seed, 8))
	o.shuffle(1)
	list := make([]graph.Triple, n)
	for i, id := range o.batch(0) {
		list[i] = facts[id]
	}
	return list
}
