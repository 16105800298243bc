package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/mat"
)

// pass is the model written down for a query of a scope. The state is rows×d, one row per node.
type pass struct {
	*Model
	*scope
	vectors
	sizes ad.Var // 1, s and 1/s of every slot of degrees

	step        // of the layer that is being written
	e    ad.Var // its vectors of relations

	// edgeWeights has for every layer a column that messages are multiplied by, one row per edge; empty
	// for ones. weight is for the layer that is being written.
	edgeWeights []ad.Var
	weight      ad.Var
}

// vectors holds what a query brings along: its embedding q, 1×d, and e, a row of d for every relation, by layer or once
// for all layers. The vectors of a batch have a row of q for every query, and rows of e for every relation and query,
// the queries of a relation together; then owner is the query of every answer.
type vectors struct {
	q      ad.Var
	layers []ad.Var // e
	owner  *mat.Index
}

// layer returns e of layer l, from 0.
func (v vectors) layer(l int) ad.Var { return v.layers[min(l, len(v.layers)-1)] }

// newPass returns a pass for vectors from elsewhere.
func newPass(m *Model, f *scope, q vectors) *pass {
	return &pass{Model: m, scope: f, vectors: q, sizes: ad.Input(f.scalings)}
}

// vectorsOf returns the vectors of the query that f is for.
func (m *Model) vectorsOf(f *scope) vectors {
	q, e := m.vectorsFor(f.net, f.asked)
	return vectors{q: q, layers: m.byLayer(e)}
}

// byLayer cuts e of a query, or of several, into rows of d by layer.
func (m *Model) byLayer(e ad.Var) (list []ad.Var) {
	if !m.layered() {
		return []ad.Var{e.Reshape(e.Shape().Len()/m.Hidden, m.Hidden)}
	}
	size := m.numRelations() * m.Hidden
	for l := range m.Layers {
		list = append(list, e.Columns(l*size, (l+1)*size).Reshape(e.Rows()*m.numRelations(), m.Hidden))
	}
	return list
}

// vectorsFor returns the embeddings of queries with the given relations about n, a row each, and e: a row of R·d for
// every query, of L·R·d if layers differ, or a single such row if it does not depend on the query.
func (m *Model) vectorsFor(n *net, asked *mat.Index) (q, e ad.Var) {
	if m.Relations == Graph {
		return m.related.vectors(n, asked)
	}
	q = m.query.Gather(asked)
	if m.Relations == Free {
		return q, m.free.Reshape(1, m.vectorColumns())
	}
	return q, q.MatMul(m.relationW.Var).Add(m.relationB.Var)
}

// states returns all layers after each other, down to the last state.
func (p *pass) states() ad.Var {
	h := p.boundary(p.scope.layers[0])
	for l := 1; l < len(p.scope.layers); l++ {
		p.step, p.e = p.weights.step(l-1), p.vectors.layer(l-1)
		if len(p.edgeWeights) > 0 {
			p.weight = p.edgeWeights[l-1]
		}
		h = p.next(h, p.scope.layers[l])
		if l == 1 && p.first != nil {
			h = h.Gather(p.first.back)
		}
	}
	return h
}

// boundary returns x for the nodes of r: the query's embedding at its head.
func (p *pass) boundary(r *rows) ad.Var {
	q := p.q
	if r.present != nil {
		q = q.Mul(ad.Input(r.present))
	}
	return q.SegmentSum(r.start)
}

// next returns the states of the nodes of r after one step of A, where h Ψ + a Φ is −∇ of the energy (Model.Lower).
func (p *pass) next(h ad.Var, r *rows) ad.Var {
	own, x := h, p.boundary(r)
	if r.self != nil {
		own = h.Gather(r.self)
	}
	return descent.Rectify(own, own.MatMul(p.psi.Var).Add(p.aggregate(h, x, r)), p.bias, p.scale, p.shift)
}

// aggregate returns a Φ.
func (p *pass) aggregate(h, x ad.Var, r *rows) ad.Var {
	if p.pna() {
		return p.moments(p.statistics(h, r), x, r)
	}
	return x.Add(p.sum(h, r)).MatMul(p.phi.Var)
}

// score returns the network of states and the query.
func (p *pass) score(states ad.Var) ad.Var {
	asked := p.q.MatMul(p.out1q.Var).Add(p.out1b.Var)
	if p.owner != nil {
		asked = asked.Gather(p.owner)
	}
	z := states.MatMul(p.out1.Var).Add(asked).ReLU()
	return z.MatMul(p.out2.Var).Add(p.out2b.Var)
}

// allScores returns the scores of all nodes.
func (p *pass) allScores() ad.Var { return p.score(p.states()) }

// loss of the answers, the first of which is the right one, is for scores s, s₁, …, s_k of a query
//
//	½ ( softplus(−s) + Σ_i w_i softplus(s_i) ),  w = softmax of the s_i/temperature, not differentiated
//
// times the query's weight in the batch, summed up over the queries. Against everything it is −log softmax(s) of the
// right answer among all entities that are no right answers, of which those outside K(h) have one row together.
func (p *pass) loss(weight ad.Var) ad.Var {
	n := p.q.Rows()
	s := p.score(p.states().Gather(p.answers)).Reshape(n, p.answers.Len()/n)
	if p.known != nil {
		s = s.Add(p.known.hints(p.hint.Gather(p.asked)))
	}
	if p.Against == Everything {
		return s.Add(ad.Input(p.counts)).LogSoftmax().Columns(0, 1).Neg().Dot(weight)
	}
	right, wrong := s.Columns(0, 1), s.Columns(1, s.Cols())
	w := ad.Stop(wrong).Scale(1 / p.Temperature).Softmax()
	each := right.Neg().Softplus().Add(w.RowDot(wrong.Softplus()))
	if p.owner != nil {
		return each.Dot(weight).Scale(0.5)
	}
	return each.Mul(weight).Scale(0.5)
}
