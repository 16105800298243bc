package ad

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Grad returns the derivatives of the 1×1 expression y with respect to each of xs.
func Grad(y Var, xs ...Var) []Var {
	if y.Shape() != (mat.Shape{Rows: 1, Cols: 1}) {
		panic(fmt.Sprintf("ad: Grad of shape %v where 1×1 is needed", y.Shape()))
	}
	return VJP(y, Number(1), xs...)
}

// VJP returns the derivatives of Σ g∘y with respect to each of xs. The walk stops at xs and does not visit what they
// were computed from, so the derivative of one layer costs one layer, at any depth.
func VJP(y, g Var, xs ...Var) []Var { return vjp([]Var{y}, []Var{g}, xs) }

// vjp is VJP for several expressions at once: the derivatives of Σ_i Σ gs[i]∘ys[i].
func vjp(ys, gs, xs []Var) []Var {
	w := &walk{same: map[*node]*node{}, cotangents: map[Var]Var{}}
	path := w.between(ys, xs)
	for i, y := range ys {
		if gs[i].IsZero() {
			continue
		}
		if y.Shape() != gs[i].Shape() {
			panic(fmt.Sprintf("ad: VJP: cotangent %v for an expression of shape %v", gs[i].Shape(), y.Shape()))
		}
		w.add(y, gs[i])
	}
	for _, n := range path {
		w.pull(n)
	}
	out := make([]Var, len(xs))
	for i, x := range xs {
		out[i] = w.cotangents[x]
		if out[i].IsZero() {
			out[i] = Fill(x.Shape(), 0)
		}
	}
	return out
}

// walk collects the cotangent of every Var it meets. Equal operations on equal inputs are one: C + Cᵀ written in
// every layer gathers the cotangents of all layers and passes them on once.
type walk struct {
	same       map[*node]*node // node → the first one that is equal
	cotangents map[Var]Var
}

func (w *walk) canon(v Var) Var {
	if n, ok := w.same[v.n]; ok {
		return Var{n, v.out}
	}
	return v
}

func (w *walk) add(v, g Var) {
	v = w.canon(v)
	if old := w.cotangents[v]; !old.IsZero() {
		g = old.Add(g)
	}
	w.cotangents[v] = g
}

// pull passes the cotangents of n's outputs on to its inputs.
func (w *walk) pull(n *node) {
	out, g, any := make([]Var, len(n.shapes)), make([]Var, len(n.shapes)), false
	for i := range out {
		out[i] = Var{n, i}
		g[i] = w.cotangents[out[i]]
		any = any || !g[i].IsZero()
	}
	if !any {
		return
	}
	for i, d := range n.op.VJP(n.in, out, g) {
		if d.IsZero() {
			continue
		}
		if d.Shape() != n.in[i].Shape() {
			panic(fmt.Sprintf("ad: %s: derivative of shape %v for an input of shape %v", n.op.Name(), d.Shape(),
				n.in[i].Shape()))
		}
		w.add(n.in[i], d)
	}
}

// between lists, newest first, the operations on a path from a y down to an x, of equal ones the first. Nodes
// older than the oldest x are not visited; an x is equal to itself alone.
func (w *walk) between(ys, xs []Var) []*node {
	oldest, isX := ^uint64(0), map[*node]bool{}
	for _, x := range xs {
		oldest = min(oldest, x.n.id)
		isX[x.n] = true
	}
	all := reach(ys, (*node).inputs, func(n *node) bool { return n.id >= oldest })
	slices.SortFunc(all, compareIDs)
	onPath, first := map[*node]bool{}, map[equal]*node{}
	var list []*node
	for _, n := range all {
		if n.op == nil {
			continue
		}
		leads := false
		for _, v := range n.in {
			v = w.canon(v)
			leads = leads || isX[v.n] || onPath[v.n]
		}
		if !leads || w.merge(n, first, isX[n]) {
			continue
		}
		onPath[n] = true
		list = append(list, n)
	}
	slices.Reverse(list)
	return list
}

// equal identifies an operation by what it does and its inputs, up to eight.
type equal struct {
	op Op
	in [8]Var
}

// merge reports whether n is equal to an earlier node, and remembers it otherwise.
func (w *walk) merge(n *node, first map[equal]*node, isX bool) bool {
	k := equal{op: n.op}
	if isX || len(n.in) > len(k.in) || !reflect.TypeOf(n.op).Comparable() {
		return false
	}
	for i, v := range n.in {
		k.in[i] = w.canon(v)
	}
	if f := first[k]; f != nil {
		w.same[n] = f
		return true
	}
	first[k] = n
	return false
}

func compareIDs(a, b *node) int { return cmp.Compare(a.id, b.id) }

// reach lists the nodes that vs are computed from by the given inputs, themselves included, as far as keep allows.
func reach(vs []Var, inputs func(*node) []Var, keep func(*node) bool) []*node {
	seen := map[*node]bool{}
	var list, todo []*node
	visit := func(vs []Var) {
		for _, v := range vs {
			if !seen[v.n] && keep(v.n) {
				seen[v.n] = true
				todo = append(todo, v.n)
			}
		}
	}
	for visit(vs); len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		list = append(list, n)
		visit(inputs(n))
	}
	return list
}
