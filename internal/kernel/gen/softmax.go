package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func softmaxes(l lane) {
	softmax(l)
	logSoftmax(l)
	crossEntropy(l)
}

// picker visits the rows listed in pick, or rows 0, 1, … where pick is nil.
type picker struct {
	rows, cols, pick gp
	i                gp // index of the row
	offset           gp // its place in bytes
}

func newPicker() picker {
	p := picker{param("rows"), param("cols"), param("pick"), GP64(), GP64()}
	XORQ(p.i, p.i)
	return p
}

// each runs body for every row.
func (p picker) each(l lane, body func()) {
	l.rows(p.rows, func() {
		all := label("all")
		TESTQ(p.pick, p.pick)
		JZ(LabelRef(all))
		MOVLQSX(Mem{Base: p.pick}, p.i)
		ADDQ(U8(4), p.pick)
		Label(all)
		MOVQ(p.i, p.offset)
		IMULQ(p.cols, p.offset)
		SHLQ(U8(2), p.offset)
		body()
		INCQ(p.i)
	})
}

// within is base + offset.
func within(base, offset gp) gp {
	r := GP64()
	LEAQ(Mem{Base: base, Index: offset, Scale: 1}, r)
	return r
}

// edge is a tail whose missing lanes count for nothing: −Inf there, zero bits elsewhere.
type edge struct {
	tail
	outside vec
}

func (l lane) edgeOf(n gp) edge {
	t := l.tailOf(n)
	inside := l.load(ref{pool.negInfs(), t.mask})
	return edge{t, l.xor(inside, negInf)}
}

// logit is a vector of the row; lanes outside of it are −Inf.
func (l lane) logit(r ref, t edge) vec {
	v := l.load(r)
	if r.tail == nil {
		return v
	}
	return l.or(v, t.outside)
}

// top is the maximum of a row, in every lane.
func (l lane) top(x, cols gp, t edge) vec {
	m := l.constant(negInf)
	l.stream(cols, t.tail, 1, []pointer{walk(x)}, func(at []ref, _ int) {
		l.emit(maxF, m, l.logit(at[0], t), m)
	})
	return l.spread(maxF, m)
}

// mass is Σ exp(x − m) over a row, in every lane; the terms go to dst where it is not nil.
func (l lane) mass(x, cols gp, t edge, m vec, dst gp) vec {
	sum := l.zeros(1)[0]
	ps := []pointer{walk(x)}
	if dst != nil {
		ps = append(ps, walk(dst))
	}
	l.stream(cols, t.tail, 1, ps, func(at []ref, _ int) {
		e := l.exp(l.sub(l.logit(at[0], t), m))
		l.emit(addF, e, sum, sum)
		if dst != nil {
			l.store(e, at[1])
		}
	})
	return l.spread(addF, sum)
}

// softmax writes dst[i] = scale·softmax(x[i]); a row of at most one vector stays in registers.
func softmax(l lane) {
	l.function("softmax", "func(dst, x *float32, pick *int32, rows, cols int, scale float32)",
		"dst[i] = scale·softmax(x[i]) for rows rows i of pick, 0 to rows−1 where pick is nil.")
	dst, x := param("dst"), param("x")
	p := newPicker()
	scale := l.scalar("scale")
	t := l.edgeOf(p.cols)
	p.each(l, func() {
		from, to := within(x, p.offset), within(dst, p.offset)
		wide, done := label("wide"), label("done")
		CMPQ(p.cols, U8(l.lanes))
		JGE(LabelRef(wide))
		v := l.logit(ref{Mem{Base: from}, t.mask}, t)
		e := l.exp(l.sub(v, l.spread(maxF, v)))
		l.store(l.mul(e, l.div(scale, l.spread(addF, e))), ref{Mem{Base: to}, t.mask})
		JMP(LabelRef(done))
		Label(wide)
		sum := l.mass(from, p.cols, t, l.top(from, p.cols, t), to)
		factor := l.div(scale, sum)
		l.stream(p.cols, t.tail, 1, []pointer{walk(to)}, func(at []ref, _ int) {
			l.store(l.mul(l.load(at[0]), factor), at[0])
		})
		Label(done)
	})
	finish()
}

// logSoftmax writes dst[i] = (x[i] − m) − log Σ exp(x[i] − m).
func logSoftmax(l lane) {
	l.function("logSoftmax", "func(dst, x *float32, rows, cols int)", "the logarithm of softmax, row by row.")
	dst, x, rows, cols := param("dst"), param("x"), param("rows"), param("cols")
	t := l.edgeOf(cols)
	l.rows(rows, func() {
		m := l.top(x, cols, t)
		s := l.log(l.mass(x, cols, t, m, nil))
		l.stream(cols, t.tail, 1, []pointer{walk(x), walk(dst)}, func(at []ref, _ int) {
			l.store(l.sub(l.sub(l.load(at[0]), m), s), at[1])
		})
		LEAQ(Mem{Base: x, Index: cols, Scale: 4}, x)
		LEAQ(Mem{Base: dst, Index: cols, Scale: 4}, dst)
	})
	finish()
}

// crossEntropy writes loss[r] = log Σ exp(x[i] − m) + (m − x[i, labels[i]]), i = pick[r].
func crossEntropy(l lane) {
	l.function("crossEntropy", "func(loss, x *float32, labels, pick *int32, rows, cols int)",
		"loss[r] = −log softmax(x[i])[labels[i]], i = pick[r], or r where pick is nil.")
	loss, x, labels := param("loss"), param("x"), param("labels")
	p := newPicker()
	t := l.edgeOf(p.cols)
	p.each(l, func() {
		from := within(x, p.offset)
		m := l.top(from, p.cols, t)
		s := l.log(l.mass(from, p.cols, t, m, nil))
		at := GP64()
		MOVLQSX(Mem{Base: labels, Index: p.i, Scale: 4}, at)
		v := l.broadcast(Mem{Base: from, Index: at, Scale: 4})
		l.storeFirst(l.add(s, l.sub(m, v)), Mem{Base: loss})
		ADDQ(U8(4), loss)
	})
	finish()
}
