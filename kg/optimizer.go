package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// optimizer moves parameters against their gradients.
//
// Where a batch reads few rows of the first parameter, these are moved alone. Adagrad does so by itself, as nothing moves
// where the gradient is 0; Adam is then the lazy one, whose moments stand still while a row is not read.
type optimizer struct {
	kind  Optimizer
	moved []moved
	rows  *mat.Index // of the first parameter; nil for all
	steps int
}

// moved is a parameter and what the optimiser remembers of it.
type moved struct {
	w, first, second *mat.Dense // first is the first moment of Adam, or room for g/√s of Adagrad; second is the second moment, or s
	few              *moved     // copies of some rows, where not all are moved
}

func newMoved(w *mat.Dense) moved {
	return moved{w: w, first: mat.New(w.Rows(), w.Cols()), second: mat.New(w.Rows(), w.Cols())}
}

// newOptimizer moves params, of the first one the given rows alone, or all where rows is nil.
func newOptimizer(kind Optimizer, params []*ad.Param, rows *mat.Index) *optimizer {
	o := &optimizer{kind: kind, rows: rows}
	for _, p := range params {
		o.moved = append(o.moved, newMoved(p.Value()))
	}
	if rows != nil {
		few := newMoved(mat.New(rows.Len(), o.moved[0].w.Cols()))
		o.moved[0].few = &few
	}
	return o
}

// step moves all parameters at the given rate.
func (o *optimizer) step(grads []*mat.Dense, rate float64) {
	o.steps++
	for i, m := range o.moved {
		if m.few == nil {
			o.move(m, grads[i], rate)
			continue
		}
		m.each(m.few, func(all, few *mat.Dense) { mat.Gather(few, all, o.rows) })
		o.move(*m.few, grads[i], rate)
		m.each(m.few, func(all, few *mat.Dense) { mat.Scatter(all, few, o.rows) })
	}
}

// changing adds the parameters and what the optimiser remembers of them to a state. The first matrix of Adagrad is room and
// no memory.
func (o *optimizer) changing(state map[string]any, params []*ad.Param) {
	state["steps"] = &o.steps
	for i, p := range params {
		state["now/"+p.Name], state["second/"+p.Name] = p.Value(), o.moved[i].second
		if o.kind == Adam {
			state["first/"+p.Name] = o.moved[i].first
		}
	}
}

// each calls f for the matrices of both.
func (m *moved) each(few *moved, f func(all, few *mat.Dense)) {
	f(m.w, few.w)
	f(m.first, few.first)
	f(m.second, few.second)
}

// move moves one parameter.
func (o *optimizer) move(m moved, g *mat.Dense, rate float64) {
	if o.kind == Adagrad {
		adagrad(m.w, m.first, m.second, g, rate)
		return
	}
	mat.Adam(m.w, m.first, m.second, g, mat.AdamConfig{Rate: mat.Real(rate), Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, o.steps)
}

// adagrad is s ← s + g², w ← w − rate·g/√(s + ε), with room for one more matrix. ε is there for s = 0 alone: embeddings
// that start near 0 have gradients of 1e-9 at first.
func adagrad(w, room, s, g *mat.Dense, rate float64) {
	const eps = 1e-20
	mat.MulAdd(s, g, g, 1)
	mat.Affine(room, s, 1, eps)
	mat.Map(room, room, mat.Sqrt, 0, 0)
	mat.Map(room, room, mat.Recip, 0, 0)
	mat.Mul(room, room, g, 1)
	mat.Axpby(w, w, room, 1, mat.Real(-rate))
}

// at is the factor of the learning rate when a share t of the training is done.
func (s Schedule) at(t float64) float64 {
	if s == Linear {
		return 1 - t
	}
	return 1
}
