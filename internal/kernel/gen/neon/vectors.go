package main

import "fmt"

// moves translates loads, stores, masks and broadcasts.
func (t *translation) moves(i int, in *instruction, d pair) bool {
	a := in.args
	from, to := a[0], a[len(a)-1]
	switch op := in.op; {
	case in.isMask():
		t.line("NEG %s, %s", generalName(from.index), t.register(fmt.Sprint("mask", to.reg)))
	case op == "VMASKMOVPS" && to.kind == vector:
		t.at(from)
		t.first("LOADFIRST", a[1], d)
	case op == "VMASKMOVPS":
		t.at(to)
		t.first("STOREFIRST", a[1], pairOf(from.reg))
	case (op == "VMOVUPS" || op == "VMOVUPD" || op == "VMOVAPS") && from.kind == vector && to.kind == vector:
		t.copy(d, pairOf(from.reg))
	case (op == "VMOVUPS" || op == "VMOVUPD") && to.kind == vector:
		t.both(from, d)
	case op == "VMOVUPS" || op == "VMOVUPD":
		p := pairOf(from.reg)
		t.line("FSTPQ (F%d, F%d), %s", p[0], p[1], t.near(to))
	case (op == "VMOVSS" || op == "MOVSS") && to.kind == vector:
		t.line("FMOVS %s, F%d", t.place(from), d[0])
	case op == "VMOVSS" || op == "MOVSS":
		t.line("FMOVS F%d, %s", 2*from.reg, t.place(to))
	case op == "VMOVSD" && to.kind == vector:
		t.line("FMOVD %s, F%d", t.place(from), d[0])
	case op == "VMOVSD":
		t.line("FMOVD F%d, %s", 2*from.reg, t.place(to))
	case op == "VMOVD":
		t.line("FMOVS %s, F%d", generalName(from.reg), d[0])
	case op == "VPBROADCASTD" || op == "VBROADCASTSS" && from.kind == vector:
		t.each("DUP4S", d, pair{2 * from.reg, 2 * from.reg})
	case op == "VBROADCASTSS":
		t.broadcast(i, from, to.reg, d)
	default:
		return false
	}
	return true
}

// first moves the first lanes; a mask gives their number.
func (t *translation) first(name string, mask operand, p pair) {
	t.line("%s(%s, F%[3]d, V%[3]d, F%[4]d, V%[4]d)", name, t.register(fmt.Sprint("mask", mask.reg)), p[0], p[1])
}

// broadcast loads a number into all lanes, or into one where that is enough for all who use it.
func (t *translation) broadcast(i int, from operand, r int, d pair) {
	if from.kind == table && t.same(from) {
		t.both(from, d)
		return
	}
	t.line("FMOVS %s, F%d", t.number(from), d[0])
	uses := t.elementUses(i, r, t.before)
	for _, use := range uses {
		if _, taken := t.scalar[use]; taken {
			uses = nil
		}
	}
	for _, use := range uses {
		t.scalar[use] = r
	}
	if len(uses) == 0 {
		t.each("DUP4S", d, pair{d[0], d[0]})
	}
}

// number is the place of a single number: the index of an address can be a part of the load.
func (t *translation) number(a operand) string {
	if a.kind == memory && a.index >= 0 && a.offset == 0 && (a.scale == 1 || a.scale == 4) {
		return fmt.Sprintf("(%s)(%s)", generalName(a.base), shifted(a))
	}
	return t.place(a)
}

// products translates fused multiply-adds, and arithmetic on one number.
func (t *translation) products(i int, in *instruction, d pair) bool {
	a := in.args
	switch in.op {
	case "VFMADD231PS":
		t.multiply("FMLA", i, in, d)
	case "VFNMADD231PS":
		t.multiply("FMLS", i, in, d)
	case "VFMADD213PS": // d = src1·d + src2
		sum := t.scratch()
		if a[0].kind == vector {
			t.copy(sum, pairOf(a[0].reg))
		} else {
			t.both(a[0], sum)
		}
		t.each("FMLA4S", sum, pairOf(a[1].reg), d)
		t.copy(d, sum)
	case "VADDSD":
		from := t.scratch()
		t.line("FMOVD %s, F%d", t.place(a[0]), from[0])
		t.halves("FADDD1", 1, d, pairOf(a[1].reg), from)
	case "VADDSS":
		from := t.scratch()
		t.line("FMOVS %s, F%d", t.place(a[0]), from[0])
		t.halves("FADDS1", 1, d, pairOf(a[1].reg), from)
	case "VDIVSS":
		t.halves("FDIVS1", 1, d, pairOf(a[1].reg), pairOf(a[0].reg))
	case "VSQRTSS":
		t.halves("FSQRTS1", 1, d, pairOf(a[0].reg))
	default:
		return false
	}
	return true
}

// multiply is d ± src1·src2, where one of them may be a number in a lane.
func (t *translation) multiply(op string, i int, in *instruction, d pair) {
	a, b := in.args[1], in.args[0]
	r, lane := t.scalar[i]
	if lane && a.reg == r {
		t.each(op+"LANE", d, t.source(b, in.args[2], in.args[2]), pair{2 * r, 2 * r})
		return
	}
	if lane {
		t.each(op+"LANE", d, pairOf(a.reg), pair{2 * r, 2 * r})
		return
	}
	t.each(op+"4S", d, pairOf(a.reg), t.source(b, in.args[2], in.args[2]))
}
