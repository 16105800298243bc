package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// linears writes the operations that are linear in a, with b by row and by column.
func linears(l lane) {
	for _, op := range []string{"Axpby", "Mul", "MulAdd"} {
		linear(l, op, false)
		linear(l, op, true)
	}
}

// linear writes op; byCol says that b has one number per row, else it has a row of cols.
func linear(l lane, op string, byCol bool) {
	name, doc := "linear"+op+"Row", "over rows×cols numbers; row i of b starts at i·step bytes."
	if byCol {
		name, doc = "linear"+op+"Col", "over rows×cols numbers; number i of b is at i·step bytes."
	}
	l.function(name, "func(dst, a, b *float32, rows, cols, step int, alpha, beta float32)", op+" "+doc)
	dst, a, b := param("dst"), param("a"), param("b")
	rows, cols, step := param("rows"), param("cols"), param("step")
	alpha, beta := l.scalar("alpha"), l.scalar("beta")
	t := l.tailOf(cols)
	l.rows(rows, func() {
		ps := []pointer{{at: dst}, {at: a}}
		if byCol {
			weight := map[string]vec{"Axpby": beta}[op]
			if weight == nil {
				weight = alpha
			}
			w := l.mul(weight, l.broadcast(Mem{Base: b}))
			l.stream(cols, t, 4, ps, func(at []ref, _ int) { l.store(l.byCol(op, at, alpha, w), at[0]) })
		} else {
			ps = append(ps, walk(b))
			l.stream(cols, t, 4, ps, func(at []ref, _ int) { l.store(l.byRow(op, at, alpha, beta), at[0]) })
		}
		skipTail(cols, l, dst, a)
		ADDQ(step, b)
	})
	finish()
}

// byCol is op on one vector, where w already holds b times its factor.
func (l lane) byCol(op string, at []ref, alpha, w vec) vec {
	x := l.load(at[1])
	switch op {
	case "Axpby":
		return l.fma(x, alpha, w)
	case "Mul":
		return l.mul(x, w)
	}
	d := l.load(at[0])
	l.fmaTo(d, x, w)
	return d
}

// byRow is op on one vector.
func (l lane) byRow(op string, at []ref, alpha, beta vec) vec {
	x := l.mul(l.load(at[1]), alpha)
	y := l.load(at[2])
	switch op {
	case "Axpby":
		l.fmaTo(x, y, beta)
		return x
	case "Mul":
		return l.mul(x, y)
	}
	d := l.load(at[0])
	l.fmaTo(d, x, y)
	return d
}

// rows runs body n times; n is destroyed.
func (l lane) rows(n gp, body func()) {
	loop, end := label("row"), label("end")
	SUBQ(U32(1), n)
	JL(LabelRef(end))
	Label(loop)
	body()
	SUBQ(U32(1), n)
	JGE(LabelRef(loop))
	Label(end)
}

// skipTail moves pointers over the cols mod Lanes numbers that a stream leaves behind.
func skipTail(cols gp, l lane, ps ...gp) {
	rest := copyOf(cols)
	ANDQ(U8(l.lanes-1), rest)
	for _, p := range ps {
		LEAQ(Mem{Base: p, Index: rest, Scale: 4}, p)
	}
}

// chooses writes the operations that compare a with b.
func chooses(l lane) {
	for _, op := range []string{"Maximum", "Minimum", "Greater"} {
		l.function("choose"+op, "func(dst, a, b, y *float32, n int)", op+" entry by entry; y is read by Greater only.")
		dst, a, b, n := param("dst"), param("a"), param("b"), param("n")
		ps := []pointer{{at: dst}, {at: a}, {at: b}}
		if op == "Greater" {
			ps = append(ps, pointer{at: param("y")})
		}
		l.stream(n, l.tailOf(n), 2, ps, func(at []ref, _ int) {
			a, b := l.load(at[1]), l.load(at[2])
			var v vec
			switch op {
			case "Maximum":
				v = keepNaN(l, a, l.max(a, b))
			case "Minimum":
				v = keepNaN(l, a, l.min(a, b))
			default:
				y := l.load(at[3])
				half := l.where(l.cmp(equal, a, b), l.mul(y, f32(0.5)))
				v = l.choose(l.cmp(greater, a, b), y, half)
			}
			l.store(v, at[0])
		})
		finish()
	}
}
