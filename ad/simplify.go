package ad

import "github.com/bloomgml/bloom/mat"

// Overview. Expressions are recorded as they were written: an operation never looks through its inputs, because
// somebody may differentiate with respect to one of them. What is known about values (numbers, zeros, factors) is used
// here, when a program is compiled and no more derivatives can be taken.

// simplify returns expressions with the values of outputs, and the nodes they need in an order of
// evaluation that follows the creation of the originals.
func simplify(outputs []Var) (order []*node, roots []Var) {
	s := simplifier{to: map[Var]Var{}, seen: map[*node]bool{}, consts: map[*mat.Dense]Var{}}
	for _, n := range needed(outputs) {
		s.node(n)
	}
	for _, v := range outputs {
		roots = append(roots, s.to[v])
	}
	used := map[*node]bool{}
	for _, n := range needed(roots) {
		used[n] = true
	}
	for _, n := range s.order {
		if used[n] {
			order = append(order, n)
		}
	}
	return order, roots
}

type simplifier struct {
	to     map[Var]Var // original → simplified
	seen   map[*node]bool
	order  []*node
	consts map[*mat.Dense]Var // values of incidence matrices
}

// node simplifies one node whose inputs are done.
func (s *simplifier) node(n *node) {
	in, same := make([]Var, len(n.read())), true
	for i, v := range n.read() {
		in[i] = s.to[v]
		same = same && in[i] == v
	}
	if len(n.shapes) == 1 {
		if v := s.rewrite(n.op, in); !v.IsZero() {
			s.to[Var{n, 0}] = v
			return
		}
	}
	m := n
	if !same {
		m = Apply(n.op, in...)[0].n
	}
	s.keep(m)
	for i := range n.shapes {
		s.to[Var{n, i}] = Var{m, i}
	}
}

func (s *simplifier) keep(n *node) {
	if !s.seen[n] {
		s.seen[n] = true
		s.order = append(s.order, n)
	}
}

// apply applies op to simplified inputs and simplifies the result.
func (s *simplifier) apply(op Op, in ...Var) Var {
	if v := s.rewrite(op, in); !v.IsZero() {
		return v
	}
	v := apply1(op, in...)
	s.keep(v.n)
	return v
}

func (s *simplifier) fill(shape mat.Shape, x mat.Real) Var {
	v := apply1(fill{shape, x})
	s.keep(v.n)
	return v
}

// scale returns α·v.
func (s *simplifier) scale(v Var, alpha mat.Real) Var { return s.apply(affine{alpha, 0}, v) }

// rewrite returns a simpler expression for op on in, or the zero Var if there is none simpler.
func (s *simplifier) rewrite(op Op, in []Var) Var {
	switch o := op.(type) {
	case affine:
		return s.affine(o, in[0])
	case axpby:
		return s.axpby(o, in[0], in[1])
	case mul:
		return s.mul(o, in[0], in[1])
	case matmul:
		return s.matmul(o, in[0], in[1])
	case spmm:
		return s.spmm(o, in)
	case segment:
		if x, c := factor(in[0]); c != 1 {
			return s.apply(segment{o.idx, o.alpha * c}, x)
		}
		return s.added(o, in[0])
	case gather:
		if x, c := factor(in[0]); c != 1 {
			return s.scale(s.apply(o, x), c)
		}
	case sum:
		return s.sum(o, in[0])
	case entry:
		return s.square(o, in[0])
	case entryMul:
		if c, ok := number(in[1]); ok {
			return s.scale(s.apply(o.entry, in[0]), c)
		}
		if o.f == "square" && o.order == 1 {
			return s.apply(mul{2}, in[0], in[1])
		}
		if o.f == "square" && o.order == 2 {
			return s.scale(in[1], 2)
		}
	case expand:
		if c, ok := number(in[0]); ok {
			return s.fill(o.shape, c)
		}
	case reshape:
		if _, ok := in[0].n.op.(reshape); ok {
			return s.apply(o, in[0].n.in[0])
		}
		if in[0].Shape() == o.shape {
			return in[0]
		}
		if c, ok := number(in[0]); ok {
			return s.fill(o.shape, c)
		}
	case transpose:
		if _, ok := in[0].n.op.(transpose); ok {
			return in[0].n.in[0]
		}
	}
	return Var{}
}

// square: (x²)′ = 2x and (x²)″ = 2.
func (s *simplifier) square(o entry, x Var) Var {
	switch {
	case o.f == "square" && o.order == 1:
		return s.scale(x, 2)
	case o.f == "square" && o.order == 2:
		return s.fill(x.Shape(), 2)
	}
	return Var{}
}

func (s *simplifier) affine(o affine, x Var) Var {
	if o == (affine{1, 0}) {
		return x
	}
	if c, ok := number(x); ok {
		return s.fill(x.Shape(), o.alpha*c+o.beta)
	}
	if o == (affine{0, 0}) {
		return s.fill(x.Shape(), 0)
	}
	if base, c := factor(x); c != 1 {
		return s.apply(affine{o.alpha * c, o.beta}, base)
	}
	return Var{}
}

func (s *simplifier) axpby(o axpby, a, b Var) Var {
	if isZeros(b) {
		return s.scale(a, o.alpha)
	}
	if named(a) == named(b) {
		return s.scale(a, o.alpha+o.beta)
	}
	if isZeros(a) {
		return s.scale(s.expand(b, a.Shape()), o.beta)
	}
	x, p := factor(a)
	y, q := factor(b)
	if p != 1 || q != 1 {
		return s.apply(axpby{o.alpha * p, o.beta * q}, x, y)
	}
	return s.pair(o, a, b)
}

func (s *simplifier) expand(v Var, shape mat.Shape) Var {
	if v.Shape() == shape {
		return v
	}
	return s.apply(expand{shape}, v)
}

func (s *simplifier) mul(o mul, a, b Var) Var {
	if c, ok := number(b); ok {
		return s.scale(a, o.alpha*c)
	}
	if c, ok := number(a); ok {
		return s.scale(s.expand(b, a.Shape()), o.alpha*c)
	}
	x, p := factor(a)
	y, q := factor(b)
	if p != 1 || q != 1 {
		return s.apply(mul{o.alpha * p * q}, x, y)
	}
	return Var{}
}

func (s *simplifier) matmul(o matmul, a, b Var) Var {
	if isZeros(a) || isZeros(b) {
		return s.fill(mat.ProductShape(o.t, a.Shape(), b.Shape()), 0)
	}
	x, p := factor(a)
	y, q := factor(b)
	if p != 1 || q != 1 {
		return s.apply(matmul{o.t, o.alpha * p * q}, x, y)
	}
	return s.gathered(o, a, b)
}

func (s *simplifier) spmm(o spmm, in []Var) Var {
	if x, p := factor(in[0]); p != 1 {
		return s.apply(spmm{o.s, o.transpose, o.alpha * p}, append([]Var{x}, in[1:]...)...)
	}
	return Var{}
}

// sum: of a product it is an inner product.
func (s *simplifier) sum(o sum, x Var) Var {
	to := o.axis.shape(x.Shape())
	if c, ok := number(x); ok {
		return s.fill(to, c*mat.Real(x.Shape().Len()/max(to.Len(), 1)))
	}
	if m, ok := x.n.op.(mul); ok && x.n.in[0].Shape() == x.n.in[1].Shape() {
		return s.scale(s.apply(dot(o), x.n.in[0], x.n.in[1]), m.alpha)
	}
	return Var{}
}

// factor splits v into a number and an expression.
func factor(v Var) (base Var, alpha mat.Real) {
	if o, ok := v.n.op.(affine); ok && o.beta == 0 {
		return v.n.in[0], o.alpha
	}
	return v, 1
}

// named returns v without the new names that Renew and Stop gave it.
func named(v Var) Var {
	for {
		switch v.n.op.(type) {
		case renamed, stop:
			v = v.n.in[0]
		default:
			return v
		}
	}
}

// number reports whether all entries of v are one known number, and which.
func number(v Var) (mat.Real, bool) {
	f, ok := v.n.op.(fill)
	return f.v, ok
}

// isZeros reports whether v is known to be zero everywhere.
func isZeros(v Var) bool {
	x, ok := number(v)
	return ok && x == 0
}
