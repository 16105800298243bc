package certify

import (
	"math"
	"slices"
)

// Worst is the worst that an adversary can do to the values of all nodes.
type Worst struct {
	Value []float64 // at least these remain
	last  *adversary
	rule  Rule
	own   []float64 // before the last step
	r     []float64
}

// Row returns the worst changes of the row of v, with those of all other rows.
func (w *Worst) Row(v int32) []Change {
	_, _, removed, added := w.last.worst(w.rule, v, w.own[v], w.r[v])
	return w.last.changes(v, removed, added)
}

// Steps returns lower bounds of the values after a number of steps of f, all nodes at once, that begin at start.
//
//	v⁰ = start        vᵏ⁺¹_u = min over the rows N of u of Next(|N|, vᵏ_u, Σ_{w ∈ N} vᵏ_w, r_u)
//
// Next does not fall if values grow, so by induction vᵏ is below the values of any one graph within the budget. The
// bound lets the adversary choose again before every step, so it need not be attained. If what is heard of a node
// depends on its degree, it is bounded on its own.
func (p *Problem) Steps(f Rule, r, start []float64, steps int) *Worst {
	a, n := p.adversary(), len(p.Near)
	now, next := slices.Clone(start), make([]float64, n)
	heard, then := p.startHeard(f, start), make([]float64, n)
	for range steps {
		a.listen(heard)
		for v := range int32(n) {
			next[v], then[v], _, _ = a.worst(f, v, now[v], r[v])
		}
		now, next, heard, then = next, now, then, heard
	}
	a.heard = then // what the last step heard
	return &Worst{Value: now, last: a, rule: f, own: next, r: r}
}

// startHeard returns what nodes are heard as at least, before the first step.
func (p *Problem) startHeard(f Rule, start []float64) []float64 {
	heard := slices.Clone(start)
	for v, x := range start {
		least, most := max(len(p.Near[v])-p.Budget[v], 1), len(p.Near[v])
		if p.Add == TwoHop || p.Add == All {
			most += p.Budget[v]
		}
		heard[v] = math.Inf(1)
		for d := least; d <= max(least, most); d++ {
			heard[v] = min(heard[v], f.heard(float64(d))*x)
		}
	}
	return heard
}

// Exact returns the worst values of the minimiser, the fixed point of a Next that does not look at own and for which
// all nodes are heard as they are, by policy iteration: solve for the values of the present rows, replace every row
// that can be worse, and repeat. Every row that it ends with is worst for all nodes at the same time.
func (p *Problem) Exact(f Rule, r []float64) *Worst {
	a, n := p.adversary(), len(p.Near)
	rows, value := p.clone(), make([]float64, n)
	scale := 1e-300
	for _, x := range r {
		scale = max(scale, math.Abs(x))
	}
	for range mostPolicies {
		rows.solve(f, r, value, 1e-14*scale)
		a.listen(value)
		changed := false
		for v := range int32(n) {
			x, _, removed, added := a.worst(f, v, 0, r[v])
			if x < value[v]-rounding*scale {
				rows.reset(v, p)
				for _, c := range a.changes(v, removed, added) {
					rows.change(c)
				}
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	return &Worst{Value: value, last: a, rule: f, own: value, r: r}
}

// rounding is the share of the largest r by which a row must be worse to be taken: solve stops before that.
const rounding = 1e-10

// The most sweeps to solve for values, and the most policies; a handful of policies is usual.
const mostSweeps, mostPolicies = 100000, 1000

// solve finds the values of the rows as they are, from those that are there, by Gauss–Seidel sweeps.
func (p *Problem) solve(f Rule, r, value []float64, tolerance float64) {
	degree := make([]float64, len(r))
	for v := range degree {
		degree[v] = p.degree(int32(v))
	}
	for range mostSweeps {
		moved := 0.0
		for v, near := range p.Near {
			sum := 0.0
			for i, u := range near {
				sum += p.weight(int32(v), i) * value[u]
			}
			x := f.Next(degree[v], 0, sum, r[v])
			moved = max(moved, math.Abs(x-value[v]))
			value[v] = x
		}
		if moved <= tolerance {
			return
		}
	}
}

// clone returns a problem whose rows can be replaced.
func (p *Problem) clone() *Problem {
	q := *p
	q.Near, q.Weight = slices.Clone(p.Near), slices.Clone(p.Weight)
	return &q
}

// reset makes the row of v that of another problem.
func (p *Problem) reset(v int32, from *Problem) {
	if p.Near[v] = from.Near[v]; p.Weight != nil {
		p.Weight[v] = from.Weight[v]
	}
}

// change makes a change of a row, in a clone.
func (p *Problem) change(c Change) {
	row := p.Near[c.From]
	at, ok := slices.BinarySearch(row, c.To)
	switch {
	case c.Added && !ok:
		p.Near[c.From] = slices.Insert(slices.Clone(row), at, c.To)
	case !c.Added && ok:
		p.Near[c.From] = slices.Delete(slices.Clone(row), at, at+1)
		if p.Weight != nil {
			p.Weight[c.From] = slices.Delete(slices.Clone(p.Weight[c.From]), at, at+1)
		}
	}
}
