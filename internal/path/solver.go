package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// solver computes the loss of one query at a time, and its derivatives. The next overwrites its memory.
type solver struct {
	q, e  *mat.Dense // what the query brings along, in one row; e is nil if it does not depend on the query
	plans []*plan    // from little room to much; the last has room for any query
}

// plan is the loss and its derivatives for queries that fit into a scope.
type plan struct {
	*scope
	prog  *ad.Program
	loss  ad.Var
	grads []*mat.Dense // to the parameters of perQuery.inner
	q, e  *mat.Dense   // derivatives to what the query brings along, in one row
}

// given is what a query brings along as it is computed elsewhere: q and, in one row, e.
type given struct{ q, e ad.Var }

// vectorColumns returns the numbers of e of a query.
func (m *Model) vectorColumns() int { return len(m.steps) * m.numRelations() * m.Hidden }

// newSolver writes the loss down, for scopes of the given capacities.
func (t *perQuery) newSolver() *solver {
	m := t.Model
	s := &solver{q: mat.New(1, m.Hidden)}
	given := given{q: ad.Input(s.q)}
	if m.Relations == Free {
		given.e = m.free.Reshape(1, m.vectorColumns())
	} else {
		s.e = mat.New(1, m.vectorColumns())
		given.e = ad.Input(s.e)
	}
	for _, tail := range t.capacities {
		p := m.layoutOf(t.batch.net)
		p.answers, p.tail = t.batch.numAnswers(), tail
		f := newScope(t.all, p)
		if m.Against == Everything {
			f.rivals, f.counts = newRivals(t.batch.net), mat.New(1, p.answers)
			f.reals = make([]mat.Real, p.answers)
		}
		if m.Send > 0 {
			f.known = newKnown(t.batch.net, 1, p.answers)
		}
		s.plans = append(s.plans, t.plan(f, given))
	}
	return s
}

// plan writes the loss down for queries that fit into f.
func (t *perQuery) plan(f *scope, given given) *plan {
	m, p := t.Model, &plan{scope: f}
	p.loss = newPass(m, f, vectors{q: given.q, layers: m.byLayer(given.e)}).loss(ad.Input(t.weight))
	to := []ad.Var{given.q}
	if m.Relations != Free {
		to = append(to, given.e)
	}
	for _, i := range t.inner {
		to = append(to, m.params[i].Var)
	}
	grads := ad.Grad(p.loss, to...)
	p.prog = ad.Compile(append([]ad.Var{p.loss}, grads...)...)
	p.q = p.prog.Value(grads[0])
	if m.Relations != Free {
		p.e = inOneRow(p.prog.Value(grads[1]))
	}
	for _, g := range grads[len(grads)-len(t.inner):] {
		p.grads = append(p.grads, p.prog.Value(g))
	}
	return p
}

// solve runs the first plan that query q fits into.
func (s *solver) solve(q query, answers []int32) (*plan, error) {
	for _, p := range s.plans {
		if err := p.setQuery(q, answers); err == nil {
			return p, p.prog.Run()
		}
	}
	panic("path: a query fits into no plan") // the last plan has room for all
}
