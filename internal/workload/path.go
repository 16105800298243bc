package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// path is the path model: the state of query (head, q, ?) at node v is the sum over paths from the
// head to v, layer by layer and with the same weights in every layer,
//
//	h ← h + relu(norm([h, a] W + b)),  a = aggregate of h_u∘e_r over edges (u, r, v) and of x_v
//
// where x is q's embedding at the head and 0 elsewhere, and e = q V + c is a vector per relation. The
// tail's score and those of k random nodes come from a network of h and q, and the loss is
//
//	½ mean( softplus(−s) + Σ_i w_i softplus(s_i) ),  w = softmax of the s_i, not differentiated.
//
// The state is n×(queries·d), one row per node; the same memory read as (n·queries)×d has one row per
// node and query, which is what linear maps and norms take.
func path(b *builder, k *KG) (ad.Var, drawer) {
	p := &pathModel{KG: k, builder: b, batch: newPathBatch(k)}
	p.weights()
	p.countMessages()
	q := p.embeddings.Gather(p.batch.query.Index)
	x := q.SegmentSum(p.batch.start.Index).Reshape(k.Nodes, k.queries()*k.Hidden)
	relations := p.relations(q)
	h := x
	for range k.Steps {
		h = p.layer(h, x, relations)
	}
	return p.loss(h, q), p.batch.draw
}

// pathModel is the weights of the model and what is shared by its layers.
type pathModel struct {
	*KG
	*builder
	batch                *pathBatch
	embeddings           ad.Var // 2·Relations×d
	toRelations, biasR   ad.Var // V and c
	own, aggregated      ad.Var // the rows of W for h and for a
	bias, scale, shift   ad.Var // b, and the weights of the norm
	out1, out1q, outBias ad.Var
	out2, outBias2       ad.Var

	groups           *mat.Groups // of nodes with equally many messages, and queries
	shares, scalings ad.Var      // 1/c of every node; 1, s and 1/s of every group
}

func (p *pathModel) weights() {
	d, r := p.Hidden, 2*p.Relations
	p.embeddings = p.normal("query", r, d, 1)
	p.toRelations, p.biasR = p.param("relations.W", d, r*d, d), p.param("relations.b", 1, r*d, d)
	in, moments := 2*d, 1
	if p.messageMoment {
		in, moments = 13*d, 12
	}
	p.own, p.aggregated = p.param("own.W", d, d, in), p.param("aggregated.W", moments*d, d, in)
	p.bias = p.param("b", 1, d, in)
	p.scale, p.shift = p.constant("norm.scale", d, 1), p.constant("norm.shift", d, 0)
	p.out1, p.out1q = p.param("out1.W", d, 2*d, 2*d), p.param("out1.Wq", d, 2*d, 2*d)
	p.outBias = p.param("out1.b", 1, 2*d, 2*d)
	p.out2, p.outBias2 = p.param("out2.W", 2*d, 1, 2*d), p.param("out2.b", 1, 1, 2*d)
}

// relations is e, one row per relation with d numbers per query.
func (p *pathModel) relations(q ad.Var) ad.Var {
	r, b, d := 2*p.Relations, p.queries(), p.Hidden
	e := q.MatMul(p.toRelations).Add(p.biasR).Reshape(b*r, d) // row i·r + relation
	turn := make([]int32, r*b)
	for i := range turn {
		turn[i] = int32(i%b*r + i/b)
	}
	return e.Gather(mustIndex(turn, b*r)).Reshape(r, b*d)
}

// layer is one step of all queries.
func (p *pathModel) layer(h, x, relations ad.Var) ad.Var {
	n, d := p.Nodes*p.queries(), p.Hidden
	z := h.Reshape(n, d).MatMul(p.own).Add(p.aggregate(h, x, relations))
	z = z.NormReLU(p.bias, p.scale, p.shift, 1e-5)
	return h.Add(z.Reshape(p.Nodes, p.queries()*d))
}

// aggregate is a times its rows of W, one row per node and query.
func (p *pathModel) aggregate(h, x, relations ad.Var) ad.Var {
	if p.messageMoment {
		return p.moments(h, x, relations)
	}
	a := x.Add(ad.RelSum(p.batch.edges, 0, h, relations))
	return a.Reshape(p.Nodes*p.queries(), p.Hidden).MatMul(p.aggregated)
}

// loss is the part's share of the loss of the batch.
func (p *pathModel) loss(h, q ad.Var) ad.Var {
	b, wide := p.queries(), 1+p.Negatives
	z := h.Reshape(p.Nodes*b, p.Hidden).Gather(p.batch.answer.Index).MatMul(p.out1)
	each := make([]int32, b*wide)
	for i := range each {
		each[i] = int32(i / wide)
	}
	z = z.Add(q.MatMul(p.out1q).Add(p.outBias).Gather(mustIndex(each, b))).ReLU()
	s := z.MatMul(p.out2).Add(p.outBias2).Reshape(b, wide)
	fact, corrupted := s.Columns(0, 1), s.Columns(1, wide)
	w := ad.Stop(corrupted).Softmax()
	return fact.Neg().Softplus().Sum().Add(w.Dot(corrupted.Softplus())).Scale(0.5 / float64(p.Batch))
}

// normal adds a parameter that starts as N(0, sd²).
func (b *builder) normal(name string, rows, cols int, sd float64) ad.Var {
	m := mat.New(rows, cols)
	mat.Normal(m, 0, mat.Real(sd), mat.Mix(seed, uint64(len(b.params))))
	return b.own(name, m)
}

// constant adds a row of n equal numbers.
func (b *builder) constant(name string, n int, v mat.Real) ad.Var {
	m := mat.New(1, n)
	mat.Fill(m, v)
	return b.own(name, m)
}
