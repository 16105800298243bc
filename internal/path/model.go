package path

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Model is a path model: its weights depend on relations but not on entities.
type Model struct {
	Config
	Names []string // of the relations

	params []*ad.Param
	weights
}

// weights are the parameters, d being Hidden and R the number of relations with inverses.
type weights struct {
	query                *ad.Param // R×d, the embedding of a query's relation
	relationW, relationB *ad.Param // V, d×(R·d), and c, 1×(R·d), of e = q V + c, L times if Layered; Conditioned alone
	free                 *ad.Param // e, R×d, L times below each other if Layered; Free alone
	related              *related  // instead of the four above; Graph alone
	hint                 *ad.Param // R×2, what known adds to scores; Send alone
	steps                []step    // by layer, or one that all layers share
	out1, out1q          *ad.Param // first layer of the score: the rows for h and for q, d×2d each
	out1b                *ad.Param
	out2, out2b          *ad.Param // second layer, 2d×1
}

// step holds what a layer is made of.
type step struct {
	psi, phi           *ad.Param // Ψ, d×d, and Φ, d×d or 12d×d for PNA: the rows of W for h and for a
	bias, scale, shift *ad.Param // of A: b, and s and t of the norm
}

// step returns the weights of layer l, from 0.
func (w *weights) step(l int) step { return w.steps[min(l, len(w.steps)-1)] }

// New returns a model that is not trained, for relations of the given names.
func New(c Config, relations []string) (*Model, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	m := &Model{Config: c, Names: relations}
	d, r := c.Hidden, m.numRelations()
	switch c.Relations {
	case Graph:
		m.related = m.newRelated()
	case Free:
		m.query = m.normal("query", r, d)
		m.free = m.normal("relations", m.vectorLayers()*r, d)
	default:
		m.query, r = m.normal("query", r, d), m.vectorLayers()*r
		m.relationW, m.relationB = m.uniform("relations.W", d, r*d, d), m.uniform("relations.b", 1, r*d, d)
	}
	m.steps = m.newSteps()
	m.out1, m.out1q = m.uniform("out1.W", d, 2*d, 2*d), m.uniform("out1.Wq", d, 2*d, 2*d)
	m.out1b = m.uniform("out1.b", 1, 2*d, 2*d)
	m.out2, m.out2b = m.uniform("out2.W", 2*d, 1, 2*d), m.uniform("out2.b", 1, 1, 2*d)
	if m.Send > 0 {
		m.hint = m.param("hint", mat.New(m.numRelations(), 2))
	}
	return m, nil
}

// newSteps adds the weights of the layers.
func (m *Model) newSteps() (list []step) {
	if !m.layered() {
		return []step{m.newStep("")}
	}
	for l := range m.Layers {
		list = append(list, m.newStep(fmt.Sprintf("entities.%d.", l)))
	}
	return list
}

// layered reports whether every layer has weights of its own.
func (c Config) layered() bool { return c.Layered || c.Relations == Graph }

// vectorLayers returns how many times a relation has a vector.
func (c Config) vectorLayers() int {
	if c.layered() {
		return c.Layers
	}
	return 1
}

// newStep adds the weights of a layer, whose names begin with the given text.
func (m *Model) newStep(of string) step {
	d, in, moments := m.Hidden, 2*m.Hidden, 1
	if m.pna() {
		in, moments = 13*d, 12
	}
	return step{psi: m.uniform(of+"own.W", d, d, in), phi: m.uniform(of+"aggregated.W", moments*d, d, in),
		bias:  m.uniform(of+"b", 1, d, in),
		scale: m.constant(of+"norm.scale", d, 1), shift: m.constant(of+"norm.shift", d, 0)}
}

// Params returns the weights.
func (m *Model) Params() []*ad.Param { return m.params }

// numRelations returns the number of relations, inverse ones counted.
func (m *Model) numRelations() int { return 2 * len(m.Names) }

// pna reports whether the aggregate is one of the two PNAs.
func (c Config) pna() bool { return c.Aggregate != Sum }

// listsMessages reports whether the aggregate needs messages one by one: what has no kernel for them all.
func (c Config) listsMessages() bool { return c.pna() && c.Message == RotatE }

// sorts reports whether nodes are numbered by degree.
func (c Config) sorts() bool { return c.pna() && c.Keep == 0 }

// startsSparse reports whether the first layer can be computed for few nodes: messages of a state of 0 are 0.
func (c Config) startsSparse() bool { return c.Message != TransE && c.Layers > 1 }

// uniform adds a parameter that starts uniform in ±1/√fan.
func (m *Model) uniform(name string, rows, cols, fan int) *ad.Param {
	x, bound := mat.New(rows, cols), mat.Real(1/math.Sqrt(float64(fan)))
	mat.Uniform(x, -bound, bound, mat.Mix(m.Seed, uint64(len(m.params))))
	return m.param(name, x)
}

// normal adds a parameter that starts as N(0, 1).
func (m *Model) normal(name string, rows, cols int) *ad.Param {
	x := mat.New(rows, cols)
	mat.Normal(x, 0, 1, mat.Mix(m.Seed, uint64(len(m.params))))
	return m.param(name, x)
}

// constant adds a row of n equal numbers.
func (m *Model) constant(name string, n int, v mat.Real) *ad.Param {
	x := mat.New(1, n)
	mat.Fill(x, v)
	return m.param(name, x)
}

func (m *Model) param(name string, x *mat.Dense) *ad.Param {
	p := ad.NewParam(name, x)
	m.params = append(m.params, p)
	return p
}
