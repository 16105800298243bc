package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// pass is the model written down for the queries of a field.
//
// The state is rows×(queries·d), one row per node; the same memory read as (rows·queries)×d has one row
// per node and query, which is what linear maps and norms take.
type pass struct {
	*Model
	*field
	asked ad.Var // q, queries×d
	e     ad.Var // a row per relation with d numbers per query
	sizes ad.Var // 1, s and 1/s of every slot of degrees

	// edgeWeights has for every layer a column that messages are multiplied by, one row per edge; empty
	// for ones. weight is that of the layer which is being written.
	edgeWeights []ad.Var
	weight      ad.Var
}

func newPass(m *Model, f *field) *pass {
	p := &pass{Model: m, field: f, asked: m.query.Gather(f.asked.Index), sizes: ad.Input(f.scalings)}
	p.e = p.relations()
	return p
}

// relations is e, a row per relation.
func (p *pass) relations() ad.Var {
	r, b, d := p.vectors(), p.field.queries, p.Hidden
	if p.Relations == Free {
		copies := make([]ad.Var, b)
		for i := range copies {
			copies[i] = p.free
		}
		return ad.Concat(copies...)
	}
	e := p.asked.MatMul(p.toE).Add(p.biasE).Reshape(b*r, d) // row i·r + relation
	turn := make([]int32, r*b)
	for i := range turn {
		turn[i] = int32(i%b*r + i/b)
	}
	return e.Gather(index(turn, b*r)).Reshape(r, b*d)
}

// index is for ids that are in range by construction.
func index(ids []int32, bound int) *mat.Index {
	x, err := mat.NewIndex(ids, bound)
	must(err)
	return x
}

// states are all layers after each other, down to the last state.
func (p *pass) states() ad.Var {
	h := p.boundary(p.layers[0])
	for l := 1; l < len(p.layers); l++ {
		if len(p.edgeWeights) > 0 {
			p.weight = p.edgeWeights[l-1]
		}
		h = p.layer(h, p.layers[l])
	}
	return h
}

// boundary is x for the nodes of r: the query's embedding at its head.
func (p *pass) boundary(r *rows) ad.Var {
	q := p.asked
	if !r.whole {
		q = q.Mul(ad.Input(r.present))
	}
	return q.SegmentSum(r.start.Index).Reshape(r.room, p.field.queries*p.Hidden)
}

// layer is one step of all queries, to the nodes of r.
func (p *pass) layer(h ad.Var, r *rows) ad.Var {
	n, d := r.room*r.queries, p.Hidden
	own, x := h, p.boundary(r)
	if r.self != nil {
		own = h.Gather(r.self.Index)
	}
	z := own.Reshape(n, d).MatMul(p.own).Add(p.aggregate(h, x, r))
	z = z.NormReLU(p.bias, p.scale, p.shift, normEps)
	return own.Add(z.Reshape(r.room, r.queries*d))
}

// normEps is added to the variance of a row.
const normEps = 1e-5

// aggregate is a times its rows of W, one row per node and query.
func (p *pass) aggregate(h, x ad.Var, r *rows) ad.Var {
	if p.pna() {
		return p.moments(p.statistics(h, r), x, r)
	}
	a := x.Add(p.sum(h, r))
	return a.Reshape(r.room*r.queries, p.Hidden).MatMul(p.received)
}

// score is the network of states and queries: states has `wide` rows for every query in turn.
func (p *pass) score(states ad.Var, of *mat.Index) ad.Var {
	z := states.MatMul(p.out1).Add(p.asked.MatMul(p.out1q).Add(p.out1b).Gather(of)).ReLU()
	return z.MatMul(p.out2).Add(p.out2b)
}

// answered are the scores of the answers, a row per query.
func (p *pass) answered() ad.Var {
	b, n := p.field.queries, p.answers.Len()
	each := make([]int32, n)
	for i := range each {
		each[i] = int32(i / (n / b))
	}
	h := p.states().Reshape(p.last().room*b, p.Hidden).Gather(p.answers.Index)
	return p.score(h, index(each, b)).Reshape(b, n/b)
}

// all are the scores of all nodes, a column per query.
func (p *pass) all() ad.Var {
	b, n := p.field.queries, p.last().room
	each := make([]int32, n*b)
	for i := range each {
		each[i] = int32(i % b)
	}
	return p.score(p.states().Reshape(n*b, p.Hidden), index(each, b)).Reshape(n, b)
}

// loss of the answers, the first of which is the right one, is for scores s, s₁, …, s_k of a query
//
//	½ ( softplus(−s) + Σ_i w_i softplus(s_i) ),  w = softmax of the s_i/temperature, not differentiated
//
// times the query's weight in the batch, summed over queries.
func (p *pass) loss(weight ad.Var) ad.Var {
	s := p.answered()
	right, wrong := s.Columns(0, 1), s.Columns(1, s.Cols())
	w := ad.Stop(wrong).Scale(1 / p.Temperature).Softmax()
	each := right.Neg().Softplus().Add(w.RowDot(wrong.Softplus()))
	return each.Dot(weight).Scale(0.5)
}
