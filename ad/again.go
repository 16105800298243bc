package ad

import (
	"slices"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// Overview. A matrix that the backward pass reads long after it was made comes from memory, and was written there.
// Where it takes one pass over another matrix that the same place reads anyway, as a norm or a dropout does, it is made
// again there instead: a pass over blocks in a cache costs less, and the memory is free meanwhile.

const (
	// farBytes is how much operations write before what was made first has left the caches.
	farBytes = 32 << 20
	// nearBytes is how much they write between two that stand at the same place: at most some steps of a group.
	nearBytes = farBytes / 2
)

// repeater finds values to recompute.
type repeater struct {
	plan    []task
	written []int         // before task i, in bytes
	at      map[Var]int   // the task that makes a value
	readers map[Var][]int // the tasks that read it, in order
	again   map[Var]Var   // the latest repetition of a value
	when    map[Var]int   // and the task that it was made for
	out     []task
}

// repeat puts tasks into the plan that make values again.
func (p *planner) repeat() {
	r := &repeater{plan: p.plan, at: map[Var]int{}, readers: map[Var][]int{}, again: map[Var]Var{}, when: map[Var]int{}}
	bytes := 0
	for i, t := range p.plan {
		r.written = append(r.written, bytes)
		for _, v := range t.outs() {
			r.at[v] = i
			bytes += v.Shape().Len() * int(unsafe.Sizeof(mat.Real(0)))
		}
		for _, v := range t.reads() {
			r.readers[v] = append(r.readers[v], i)
		}
	}
	for i, t := range p.plan {
		if t.blockwise().rows > 0 {
			t.in = slices.Clone(t.in)
			for k, v := range t.in {
				if r.anew(v.Var, i) {
					t.in[k].Var = r.make(v.Var, i)
				}
			}
		}
		r.out = append(r.out, t)
	}
	p.plan = r.out
}

// anew reports whether task i recomputes v.
func (r *repeater) anew(v Var, i int) bool { return r.far(v, i) && r.can(v, i) }

// far reports whether v was made long before task i.
func (r *repeater) far(v Var, i int) bool {
	j, made := r.at[v]
	return made && r.written[i]-r.written[j] > farBytes
}

// near reports whether two tasks are close to each other in the plan.
func (r *repeater) near(i, j int) bool {
	return max(r.written[i]-r.written[j], r.written[j]-r.written[i]) < nearBytes
}

// can reports whether v can be made again for task i by one pass over what is read there, or by a few of them.
func (r *repeater) can(v Var, i int) bool {
	t := r.plan[r.at[v]]
	if !t.sum.IsZero() || len(t.n.shapes) > 1 || t.n.fixed || !t.cuttable(t.blockwise()) {
		return false
	}
	switch t.op.(type) {
	case entry, dropout, rowNorm:
	default:
		return false
	}
	for _, u := range t.in {
		if !r.atHand(u.Var, i) && !r.anew(u.Var, i) {
			return false
		}
	}
	return true
}

// atHand reports whether u is small, or a task where i stands reads it and does not have it made again.
func (r *repeater) atHand(u Var, i int) bool {
	return u.Shape().Rows == 1 || u.n.leaf != nil ||
		slices.ContainsFunc(r.readers[u], func(k int) bool { return r.near(k, i) && !r.anew(u, k) })
}

// make returns v, recomputed for task i unless that was already done there.
func (r *repeater) make(v Var, i int) Var {
	if w, ok := r.again[v]; ok && r.near(r.when[v], i) {
		return w
	}
	t := r.plan[r.at[v]]
	in, vars := slices.Clone(t.in), make([]Var, len(t.in))
	for k, u := range in {
		if !r.atHand(u.Var, i) {
			in[k].Var = r.make(u.Var, i)
		}
		vars[k] = in[k].Var
	}
	w := Apply(t.op, vars...)[0]
	r.out = append(r.out, task{n: w.n, op: t.op, in: in})
	r.again[v], r.when[v] = w, i
	return w
}
