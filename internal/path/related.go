package path

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/mat"
)

// related is a model of relations: a path model on the graph of relations (net.kinds), which is asked about the
// relation of a query. With x = 1 at that relation and 0 elsewhere, its layers are, with w_k for the kinds of edges,
//
//	h ← h + relu(norm(a Φ + h Ψ + b)),  a = Σ_(u,k) h_u∘w_k + x
//
// Row r of the last state, R_r, stands for relation r: q is the query's, and e of a layer of the entity model is
//
//	e_r = relu(R_s V₁ + c₁) V₂ + c₂,  s the inverse of r
//
// as what a node receives is named as the node sees it, in both graphs: along u –r→ v, node v is in relation s to u.
// (The published weights were trained so: the kernel that they were trained with takes edges the other way round.)
//
// A question for heads asks about the relation itself here, while its q is the row of the inverse relation.
//
// Source: ULTRA (Galkin et al. 2024).
type related struct {
	model *Model
	kinds []*ad.Param // w of every layer, a row per kind
	steps []step
	turns []turn
}

// turn is how a layer of the entity model reads R.
type turn struct{ in, inB, out, outB *ad.Param }

// newRelated adds the weights of a model of relations to m.
func (m *Model) newRelated() *related {
	r, d := &related{model: m}, m.Hidden
	for l := range m.Layers {
		name := fmt.Sprintf("relations.%d.", l)
		r.kinds = append(r.kinds, m.normal(name+"kinds", numKinds, d))
		r.steps = append(r.steps, m.newStep(name))
		r.turns = append(r.turns, turn{m.uniform(name+"in.W", d, d, d), m.uniform(name+"in.b", 1, d, d),
			m.uniform(name+"out.W", d, d, d), m.uniform(name+"out.b", 1, d, d)})
	}
	return r
}

// params returns the weights.
func (r *related) params() (list []*ad.Param) {
	for l, s := range r.steps {
		t := r.turns[l]
		list = append(list, r.kinds[l], s.psi, s.phi, s.bias, s.scale, s.shift, t.in, t.inB, t.out, t.outB)
	}
	return list
}

// vectors returns q of queries with the given relations about n, a row each, and e: a row of L·R·d for every query.
func (r *related) vectors(n *net, asked *mat.Index) (q, e ad.Var) {
	number, batch, d := r.model.numRelations(), asked.Len(), r.model.Hidden
	// The states of B queries are side by side: row r·B + b is relation r for query b.
	h := r.states(n.kinds(), r.marked(asked, true), batch)
	order, owner := make([]int32, number*batch), make([]int32, number*batch)
	for i := range order {
		order[i], owner[i] = int32((i+number/2)%number*batch+i/number), int32(i%batch)
	}
	q = h.Mul(r.marked(asked, false)).SegmentSum(mat.MustIndex(owner, batch))
	byQuery := h.Gather(mat.MustIndex(order, number*batch))
	var list []ad.Var
	for _, t := range r.turns {
		x := byQuery.MatMul(t.in.Var).Add(t.inB.Var).ReLU().MatMul(t.out.Var).Add(t.outB.Var)
		list = append(list, x.Reshape(batch, number*d))
	}
	return q, ad.Concat(list...)
}

// marked returns a column with 1 at the relation of every query, or at what it is the inverse of, in row r·B + b.
func (r *related) marked(asked *mat.Index, direct bool) ad.Var {
	number := r.model.numRelations()
	rows := make([]mat.Real, number*number)
	for i := range number {
		at := i
		if direct {
			at = i % (number / 2)
		}
		rows[i*number+at] = 1
	}
	return ad.Const(mat.FromSlice(number, number, rows)).Gather(asked).T().Reshape(number*asked.Len(), 1)
}

// states returns the last states, for the edges of the graph of relations.
func (r *related) states(edges *mat.Triples, marked ad.Var, batch int) ad.Var {
	number, d := r.model.numRelations(), r.model.Hidden
	x := marked.MatMul(ad.Fill(mat.Shape{Rows: 1, Cols: d}, 1))
	tiled := make([]int32, numKinds*batch)
	for i := range tiled {
		tiled[i] = int32(i / batch)
	}
	h := x
	for l, s := range r.steps {
		w := r.kinds[l].Gather(mat.MustIndex(tiled, numKinds)).Reshape(numKinds, batch*d)
		a := ad.RelSum(edges, 0, h.Reshape(number, batch*d), w).Reshape(number*batch, d).Add(x)
		h = descent.Rectify(h, a.MatMul(s.phi.Var).Add(h.MatMul(s.psi.Var)), s.bias, s.scale, s.shift)
	}
	return h
}
