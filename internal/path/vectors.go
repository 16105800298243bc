package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// batchVectors are the vectors of the queries of a batch, q and e, computed for all of them at once, and the backward
// pass to the parameters that they are computed from.
type batchVectors struct {
	relations *mat.Index
	ids       []int32
	forward   *ad.Program
	// what stands for every query in turn, in one row; e is nil if it does not depend on the query
	q, e     *mat.Dense
	dq, de   *mat.Dense // derivatives to them, a row per query
	toQ, toE *mat.Dense // the same memory in one row
	backward *ad.Program
	grads    []ad.Var // to the parameters of perQuery.outer
}

// newBatchVectors prepares batches of the trainer's size.
func (t *perQuery) newBatchVectors() *batchVectors {
	m := t.Model
	a := &batchVectors{relations: mat.NewBatchIndex(m.Batch, m.numRelations()), ids: make([]int32, m.Batch)}
	a.dq = mat.New(m.Batch, m.Hidden)
	q, e := m.vectorsFor(t.batch.net, a.relations)
	values, sum := []ad.Var{q}, q.Dot(ad.Input(a.dq))
	if m.Relations != Free {
		a.de = mat.New(m.Batch, e.Cols())
		values, sum = append(values, e), sum.Add(e.Dot(ad.Input(a.de)))
	}
	a.forward = ad.Compile(values...)
	a.q, a.toQ = inOneRow(a.forward.Value(q)), inOneRow(a.dq)
	if a.de != nil {
		a.e, a.toE = inOneRow(a.forward.Value(e)), inOneRow(a.de)
	}
	var to []ad.Var
	for _, i := range t.outer {
		to = append(to, m.params[i].Var)
	}
	a.grads = ad.Grad(sum, to...)
	a.backward = ad.Compile(a.grads...)
	return a
}

// start computes the vectors of the queries; rows without a query get no derivative.
func (a *batchVectors) start(qs []query) error {
	clear(a.ids)
	for i, q := range qs {
		a.ids[i] = q.relation
	}
	must(a.relations.Update(a.ids))
	if len(qs) < len(a.ids) {
		mat.Fill(a.dq, 0)
		if a.de != nil {
			mat.Fill(a.de, 0)
		}
	}
	return a.forward.Run()
}

// copyTo copies the vectors of query i to a solver.
func (a *batchVectors) copyTo(s *solver, i int) {
	d := s.q.Cols()
	mat.CopyCols(s.q, a.q, 0, i*d, d)
	if a.e != nil {
		n := s.e.Cols()
		mat.CopyCols(s.e, a.e, 0, i*n, n)
	}
}

// collect takes the derivatives of query i from a plan that has run.
func (a *batchVectors) collect(p *plan, i int) {
	d := p.q.Cols()
	mat.CopyCols(a.toQ, p.q, i*d, 0, d)
	if a.toE != nil {
		n := p.e.Cols()
		mat.CopyCols(a.toE, p.e, i*n, 0, n)
	}
}

// inOneRow returns the memory of x as one row.
func inOneRow(x *mat.Dense) *mat.Dense { return x.As(mat.Shape{Rows: 1, Cols: x.Len()}) }
