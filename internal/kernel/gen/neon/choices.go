package main

import "fmt"

// choices translates comparisons and what is chosen by them.
func (t *translation) choices(in *instruction, d pair) bool {
	switch in.op {
	case "VCMPPS":
		t.compareNumbers(in, d)
	case "VBLENDVPS":
		t.blend(in, d)
	case "VMOVMSKPS":
		t.signs(in)
	default:
		return false
	}
	return true
}

// compareNumbers is d = a predicate b; the operands are predicate, b, a, d.
func (t *translation) compareNumbers(in *instruction, d pair) {
	a := pairOf(in.args[2].reg)
	b := t.source(in.args[1], in.args[3], in.args[2])
	switch in.args[0].value {
	case 0x00: // equal
		t.each("FCMEQ4S", d, a, b)
	case 0x01, 0x11: // less
		t.each("FCMGT4S", d, b, a)
	case 0x05: // not less
		t.each("FCMGT4S", d, b, a)
		t.each("MVN16B", d, d)
	case 0x07: // no NaN
		other := t.scratch()
		t.each("FCMEQ4S", other, a, a)
		t.each("FCMEQ4S", d, b, b)
		t.each("AND16B", d, d, other)
	case 0x0c: // less or greater
		other := t.scratch()
		t.each("FCMGT4S", other, a, b)
		t.each("FCMGT4S", d, b, a)
		t.each("ORR16B", d, d, other)
	case 0x1e: // greater
		t.each("FCMGT4S", d, a, b)
	default:
		panic(fmt.Sprintf("no predicate %#x", in.args[0].value))
	}
}

// blend is d = yes where mask, else no; the operands are mask, yes, no, d.
func (t *translation) blend(in *instruction, d pair) {
	mask, no := pairOf(in.args[0].reg), pairOf(in.args[2].reg)
	yes := t.source(in.args[1], in.args[3], in.args[3])
	switch d {
	case no:
		t.each("BIT16B", d, yes, mask)
	case yes:
		t.each("BIF16B", d, no, mask)
	case mask:
		t.each("BSL16B", d, yes, no)
	default:
		t.copy(d, no)
		t.each("BIT16B", d, yes, mask)
	}
}

// signs collects the sign of every lane in a register for integers, a bit each. Lanes are all ones or zero.
func (t *translation) signs(in *instruction) {
	from, bits := pairOf(in.args[0].reg), t.scratch()
	t.both(operand{kind: table, name: laneTable}, bits)
	t.each("AND16B", bits, bits, from)
	t.halves("ORR16B", 1, bits, bits, pair{bits[1]})
	t.halves("ADDV4S", 1, bits, bits)
	t.line("FMOVS F%d, %s", bits[0], generalName(in.args[1].reg))
}

// lanes translates what moves lanes about.
func (t *translation) lanes(in *instruction, d pair) bool {
	a := in.args
	if shuffle := shuffles[fmt.Sprintf("%s %x", in.op, a[0].value)]; shuffle != "" {
		t.each(shuffle, d, pairOf(a[2].reg), pairOf(a[1].reg))
		return true
	}
	switch fmt.Sprintf("%s %x", in.op, a[0].value) {
	case "VPERMILPS b1":
		t.each("REV644S", d, pairOf(a[1].reg))
	case "VPERMILPS 4e":
		t.each("EXT8", d, pairOf(a[1].reg), pairOf(a[1].reg))
	case "VPERM2F128 1": // upper and lower half of one register change places
		t.halfMoves(d, pairOf(a[1].reg)[1], pairOf(a[2].reg)[0])
	case "VPERM2F128 20":
		t.halfMoves(d, pairOf(a[2].reg)[0], pairOf(a[1].reg)[0])
	case "VPERM2F128 31":
		t.halfMoves(d, pairOf(a[2].reg)[1], pairOf(a[1].reg)[1])
	case "VEXTRACTF128 1":
		t.halves("MOV16B", 1, d, pair{pairOf(a[1].reg)[1]})
	default:
		return t.extract(in)
	}
	return true
}

// halfMoves is d = (low, high), whichever of them d is.
func (t *translation) halfMoves(d pair, low, high int) {
	if d[0] == high && d[1] == low {
		other := t.scratch()[0]
		t.line("MOV16B(%d, %d)", other, high)
		high = other
	}
	if d[0] == high {
		t.line("MOV16B(%d, %d); MOV16B(%d, %d)", d[1], high, d[0], low)
		return
	}
	t.line("MOV16B(%d, %d); MOV16B(%d, %d)", d[0], low, d[1], high)
}

// extract stores one lane.
func (t *translation) extract(in *instruction) bool {
	if in.op != "VEXTRACTPS" {
		return false
	}
	t.at(in.args[2])
	t.line("VST1 V%d.S[%d], (%s)", 2*in.args[1].reg, in.args[0].value, address)
	return true
}
