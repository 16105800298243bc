package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// zeros returns n cleared registers.
func (l lane) zeros(n int) []vec {
	vs := l.vecs(n)
	for _, v := range vs {
		l.zero(v)
	}
	return vs
}

// rowSums writes dst[i] = Σ_j a[i,j]·b[i,j], and the same without b. Four accumulators hide the
// latency of addition.
func rowSums(l lane) {
	for _, dot := range []bool{false, true} {
		name, doc := "rowSum", "dst[i] = Σ_j a[i,j], rows×cols numbers; b is not read."
		if dot {
			name, doc = "rowDot", "dst[i] = Σ_j a[i,j]·b[i,j], rows×cols numbers."
		}
		l.function(name, "func(dst, a, b *float32, rows, cols int)", doc)
		dst, a, b := param("dst"), param("a"), param("b")
		rows, cols := param("rows"), param("cols")
		t := l.tailOf(cols)
		ps := []pointer{{at: a}}
		if dot {
			ps = append(ps, pointer{at: b})
		}
		l.rows(rows, func() {
			acc := l.zeros(4)
			l.stream(cols, t, 4, ps, func(at []ref, k int) { l.accumulateTo(acc[(k+4)%4], at) })
			sum := l.add(l.add(acc[0], acc[1]), l.add(acc[2], acc[3]))
			l.storeFirst(l.spread(addF, sum), Mem{Base: dst})
			for _, p := range ps {
				skipTail(cols, l, p.at)
			}
			ADDQ(U8(4), dst)
		})
		finish()
	}
}

// accumulateTo is acc = acc + a, or acc + a·b where there are two.
func (l lane) accumulateTo(acc vec, at []ref) {
	x := l.load(at[0])
	if len(at) == 2 {
		l.fmaTo(acc, x, l.load(at[1]))
		return
	}
	l.emit(addF, x, acc, acc)
}

// colSums writes dst[j] += Σ_i a[i,j]·b[i,j], and the same without b, in panels of four vectors of
// columns, then one, then the tail.
func colSums(l lane) {
	for _, dot := range []bool{false, true} {
		name, doc := "colSum", "dst[j] += Σ_i a[i,j], rows×cols numbers; b is not read."
		if dot {
			name, doc = "colDot", "dst[j] += Σ_i a[i,j]·b[i,j], rows×cols numbers."
		}
		l.function(name, "func(dst, a, b *float32, rows, cols int)", doc)
		p := panels{lane: l, dst: param("dst"), rows: param("rows"), stride: param("cols")}
		p.from = []gp{param("a")}
		if dot {
			p.from = append(p.from, param("b"))
		}
		left := copyOf(p.stride)
		t := l.tailOf(left)
		SHLQ(U8(2), p.stride)
		p.while(left, 4)
		p.while(left, 1)
		end := label("end")
		TESTQ(t.count, t.count)
		JZ(LabelRef(end))
		p.panel(1, &t)
		Label(end)
		finish()
	}
}

// panels walks through a matrix by blocks of columns; stride is the size of a row in bytes.
type panels struct {
	lane
	dst, rows, stride gp
	from              []gp
}

// while adds panels of width vectors as long as that number of columns is left.
func (p panels) while(left gp, width int) {
	loop, end := label("panel"), label("end")
	SUBQ(U32(width*p.lanes), left)
	JL(LabelRef(end))
	Label(loop)
	p.panel(width, nil)
	for _, r := range append([]gp{p.dst}, p.from...) {
		ADDQ(U32(width*p.bytes()), r)
	}
	SUBQ(U32(width*p.lanes), left)
	JGE(LabelRef(loop))
	Label(end)
	ADDQ(U32(width*p.lanes), left)
}

// panel adds the rows of width vectors of columns. A narrow panel takes four rows at a time, so
// that there are always four accumulators.
func (p panels) panel(width int, t *tail) {
	acc := p.zeros(4)
	at := make([]gp, len(p.from))
	for i, r := range p.from {
		at[i] = copyOf(r)
	}
	left := copyOf(p.rows)
	if width == 1 {
		p.rowsOf(left, at, 4, func(row int) { p.accumulateTo(acc[row], p.refs(at, 0, t)) })
	}
	p.rowsOf(left, at, 1, func(int) {
		for k := range width {
			p.accumulateTo(acc[k], p.refs(at, k*p.bytes(), t))
		}
	})
	if width == 1 {
		acc = []vec{p.add(p.add(acc[0], acc[1]), p.add(acc[2], acc[3]))}
	}
	for k, sum := range acc {
		to := p.refs([]gp{p.dst}, k*p.bytes(), t)[0]
		p.store(p.add(sum, p.load(to)), to)
	}
}

// rowsOf runs body on each of count rows, while count rows are left, and moves on after each.
func (p panels) rowsOf(left gp, at []gp, count int, body func(row int)) {
	loop, end := label("rows"), label("end")
	SUBQ(U32(count), left)
	JL(LabelRef(end))
	Label(loop)
	for row := range count {
		body(row)
		for _, r := range at {
			ADDQ(p.stride, r)
		}
	}
	SUBQ(U32(count), left)
	JGE(LabelRef(loop))
	Label(end)
	ADDQ(U32(count), left)
}

func (p panels) refs(at []gp, disp int, t *tail) []ref {
	out := make([]ref, len(at))
	for i, r := range at {
		out[i].mem = Mem{Base: r, Disp: disp}
		if t != nil {
			out[i].tail = t.mask
		}
	}
	return out
}

// maxAbs compares magnitudes as integers: the bits of a NaN are above those of Inf.
func maxAbs(l lane) {
	l.function("maxAbs", "func(x *float32, n int) float32", "max |x[i]|, NaN if any is.")
	x, n := param("x"), param("n")
	acc := l.zeros(4)
	l.stream(n, l.tailOf(n), 4, []pointer{{at: x}}, func(at []ref, k int) {
		l.emit(maxI, l.abs(l.load(at[0])), acc[(k+4)%4], acc[(k+4)%4])
	})
	m := l.op(maxI, l.op(maxI, acc[0], acc[1]), l.op(maxI, acc[2], acc[3]))
	out, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	l.storeFirst(l.spread(maxI, m), out.Addr)
	finish()
}
