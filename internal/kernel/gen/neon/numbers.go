package main

import "fmt"

// pair is the two registers of a vector, its lower lanes first.
type pair [2]int

func pairOf(r int) pair { return pair{2 * r, 2*r + 1} }

// each writes an instruction for both registers of the operands, the upper one first: where a source is the lower
// register of the result twice, it is overwritten last.
func (t *translation) each(op string, operands ...pair) { t.halves(op, 2, operands...) }

// halves is each for the lower n registers.
func (t *translation) halves(op string, n int, operands ...pair) {
	line := ""
	for h := n - 1; h >= 0; h-- {
		line += op + "("
		for i, p := range operands {
			if i > 0 {
				line += ", "
			}
			line += fmt.Sprint(p[h])
		}
		line += ")"
		if h > 0 {
			line += "; "
		}
	}
	t.line("%s", line)
}

// copy is d = n.
func (t *translation) copy(d, n pair) {
	if d != n {
		t.each("MOV16B", d, n)
	}
}

// binary are instructions dst = src1 op src2, their operands in the order src2, src1, dst.
var binary = map[string]string{
	"VADDPD": "FADD2D", "VADDPS": "FADD4S", "VSUBPS": "FSUB4S", "VMULPS": "FMUL4S", "VDIVPS": "FDIV4S",
	"VMAXPS": "FMAX4S", "VMINPS": "FMIN4S",
	"VANDPS": "AND16B", "VPAND": "AND16B", "VORPS": "ORR16B", "VXORPS": "EOR16B",
	"VPADDD": "ADD4S", "VPSUBD": "SUB4S", "VPMULLD": "MUL4S", "VPMAXSD": "SMAX4S", "VPMAXUD": "UMAX4S",
	"VPCMPEQD": "CMEQ4S", "VHADDPS": "FADDP4S", "VUNPCKLPS": "ZIP14S", "VUNPCKHPS": "ZIP24S",
}

// unary are instructions dst = op src.
var unary = map[string]string{"VSQRTPS": "FSQRT4S", "VCVTPS2DQ": "FCVTNS4S", "VCVTDQ2PS": "SCVTF4S"}

// shifts are instructions dst = src shifted by a constant.
var shifts = map[string]string{"VPSLLD": "SHL4S", "VPSRLD": "USHR4S", "VPSRAD": "SSHR4S"}

// shuffles are instructions with a constant that says how lanes move.
var shuffles = map[string]string{"VSHUFPS 44": "ZIP12D", "VSHUFPS ee": "ZIP22D"}

// numbers translates an instruction on vectors; it reports whether it knows it.
func (t *translation) numbers(i int, in *instruction) bool {
	a := in.args
	d := pair{}
	if last := a[len(a)-1]; last.kind == vector {
		d = pairOf(last.reg)
	}
	switch op := in.op; {
	case op == "VXORPS" && a[0] == a[1] && a[1] == a[2]:
		t.each("ZERO16B", d)
	case binary[op] != "" && a[2].half:
		t.halves(binary[op], 1, d, pairOf(a[1].reg), pairOf(a[0].reg))
	case binary[op] != "":
		t.each(binary[op], d, pairOf(a[1].reg), t.source(a[0], a[2], a[1]))
	case unary[op] != "":
		t.each(unary[op], d, t.source(a[0], a[1]))
	case shifts[op] != "":
		k := int(a[0].value)
		t.each(shifts[op], d, pairOf(a[1].reg), pair{k, k})
	case op == "VROUNDPS" && a[0].value == 8:
		t.each("FRINTN4S", d, pairOf(a[1].reg))
	default:
		return t.moves(i, in, d) || t.products(i, in, d) || t.choices(in, d) || t.lanes(in, d)
	}
	return true
}

// source is an operand that may be in memory. It is loaded into dst, unless dst holds another source.
func (t *translation) source(a, dst operand, others ...operand) pair {
	if a.kind == vector {
		return pairOf(a.reg)
	}
	room := pairOf(dst.reg)
	for _, o := range others {
		if o.reg == dst.reg {
			room = t.scratch()
			break
		}
	}
	return t.load(a, room)
}

// load reads eight lanes into room, or four of a table where all lanes of the vector are the same.
func (t *translation) load(a operand, room pair) pair {
	if a.kind == table && t.same(a) {
		t.line("FMOVQ %s, F%d", t.place(a), room[0])
		return pair{room[0], room[0]}
	}
	t.both(a, room)
	return room
}

// same says whether a vector of a table is eight times one number.
func (t *translation) same(a operand) bool {
	w := t.words[a.name][a.offset/4:][:8]
	for _, v := range w {
		if v != w[0] {
			return false
		}
	}
	return true
}

// both reads eight lanes.
func (t *translation) both(a operand, room pair) {
	t.line("FLDPQ %s, (F%d, F%d)", t.near(a), room[0], room[1])
}

// near is a place that instructions on pairs can reach.
func (t *translation) near(a operand) string {
	if a.offset >= -1024 && a.offset <= 1008 && a.offset%16 == 0 {
		return t.place(a)
	}
	t.at(a)
	return "(" + address + ")"
}

// at puts the address of an operand into the address register.
func (t *translation) at(a operand) {
	t.sum = operand{}
	t.address(a, address)
}
