package main

import (
	"fmt"
	"strings"
)

// Registers of the result. R16 and R17 hold addresses for the length of an instruction, R15 what an operand in memory
// is loaded into. Tables and counts of lanes have registers of their own, as ARM has twice as many.
const (
	address = "R16"
	loaded  = "R15"
)

var spare = []string{"R19", "R20", "R21", "R22", "R23", "R24", "R25"}

// conditions of jumps and conditional moves.
var conditions = map[string]string{"Z": "EQ", "E": "EQ", "EQ": "EQ", "NZ": "NE", "NE": "NE", "L": "LT", "LT": "LT",
	"GE": "GE", "G": "GT", "GT": "GT", "LE": "LE", "B": "LO", "AE": "HS", "A": "HI"}

// arithmetic are instructions with a source and a destination that is read too, and their names here, with and without
// flags.
var arithmetic = map[string][2]string{"ADDQ": {"ADD", "ADDS"}, "SUBQ": {"SUB", "SUBS"}, "ANDQ": {"AND", "ANDS"},
	"ADDL": {"ADDW", "ADDSW"}, "SHLQ": {"LSL", ""}, "SHRQ": {"LSR", ""}, "IMULQ": {"MUL", ""}}

// loads are instructions that read an integer.
var loads = map[string]string{"MOVQ": "MOVD", "MOVL": "MOVWU", "MOVLQSX": "MOVW", "MOVWQSX": "MOVH", "MOVBLZX": "MOVBU"}

// generalName is the register for register r of x86.
func generalName(r int) string { return fmt.Sprint("R", r) }

// integer translates an instruction on integers; it reports whether it is one.
func (t *translation) integer(i int, in *instruction) bool {
	switch {
	case in.op == "RET":
		t.line("RET")
	case in.branches():
		t.jump(in)
	case strings.HasPrefix(in.op, "CMOVQ"):
		to := generalName(in.args[1].reg)
		t.line("CSEL %s, %s, %s, %s", conditions[in.op[5:]], generalName(in.args[0].reg), to, to)
	case in.op == "CMPQ" || in.op == "CMPL":
		t.compare(in)
	case in.op == "TESTQ":
		t.line("CMP $0, %s", generalName(in.args[0].reg))
	case in.op == "NEGQ":
		t.line("NEG %[1]s, %[1]s", generalName(in.args[0].reg))
	case in.op == "XORQ":
		t.line("MOVD ZR, %s", generalName(in.args[1].reg))
	case in.op == "INCQ" || in.op == "DECQ":
		t.count(in, t.flagged(i))
	case arithmetic[in.op] != [2]string{}:
		t.arithmetic(in.op, t.value(in.args[0], "MOVD"), generalName(in.args[1].reg), t.flagged(i))
	case strings.HasPrefix(in.op, "PREFETCH"):
		hint := map[string]string{"PREFETCHT0": "PLDL1KEEP", "PREFETCHT1": "PLDL2KEEP"}[in.op]
		t.line("PRFM %s, %s", t.place(in.args[0]), hint)
	case in.op == "LEAQ":
		t.address(in.args[0], generalName(in.args[1].reg))
	case in.op == "MOVB" || loads[in.op] != "":
		t.move(in)
	default:
		return false
	}
	return true
}

// jump writes a jump; a comparison with 0 right before it becomes a part of it.
func (t *translation) jump(in *instruction) {
	if in.op == "JMP" {
		t.line("JMP %s", in.args[0].name)
		return
	}
	c := conditions[in.op[1:]]
	if c == "" {
		panic("no condition " + in.op)
	}
	last := &t.out[len(t.out)-1]
	if r, zero := strings.CutPrefix(*last, "\tCMP $0, "); zero && (c == "EQ" || c == "NE") {
		op := map[string]string{"EQ": "CBZ", "NE": "CBNZ"}[c]
		*last = fmt.Sprintf("\t%s %s, %s", op, r, in.args[0].name)
		return
	}
	t.line("B%s %s", c, in.args[0].name)
}

// compare writes the comparison of the first operand with the second.
func (t *translation) compare(in *instruction) {
	op, load := "CMP", "MOVD"
	if in.op == "CMPL" {
		op, load = "CMPW", "MOVWU"
	}
	a, b := in.args[0], in.args[1]
	if a.kind != general && b.kind != constant {
		panic("two operands in memory")
	}
	from := t.value(a, load)
	t.line("%s %s, %s", op, t.value(b, load), from)
}

// count writes INCQ and DECQ.
func (t *translation) count(in *instruction, flags bool) {
	op, a := map[string]string{"INCQ": "ADDQ", "DECQ": "SUBQ"}[in.op], in.args[0]
	r := t.value(a, "MOVD")
	t.arithmetic(op, "$1", r, flags)
	if a.kind != general {
		t.line("MOVD %s, %s", r, t.place(a))
	}
}

// arithmetic writes to = to op source.
func (t *translation) arithmetic(op, source, to string, flags bool) {
	name := arithmetic[op][0]
	if flags {
		name = arithmetic[op][1]
	}
	if name == "" {
		panic("no flags of " + op)
	}
	t.line("%s %s, %s", name, source, to)
}

// value is an operand that an instruction can read: a register, which it is loaded into from memory, or a constant.
func (t *translation) value(a operand, load string) string {
	switch a.kind {
	case general:
		return generalName(a.reg)
	case constant:
		return fmt.Sprint("$", a.value)
	}
	t.line("%s %s, %s", load, t.place(a), loaded)
	return loaded
}

// move writes MOVQ and its kin.
func (t *translation) move(in *instruction) {
	from, to := in.args[0], in.args[1]
	switch {
	case to.kind != general && in.op == "MOVB":
		t.line("MOVB %s, %s", generalName(from.reg), t.place(to))
	case to.kind != general:
		t.line("MOVD %s, %s", generalName(from.reg), t.place(to))
	case from.kind == general || from.kind == constant:
		t.line("MOVD %s, %s", t.value(from, ""), generalName(to.reg))
	default:
		t.line("%s %s, %s", loads[in.op], t.place(from), generalName(to.reg))
	}
}

// place is an address as an instruction can use it; an index goes into the address register first.
func (t *translation) place(a operand) string {
	switch {
	case a.kind == argument:
		return fmt.Sprintf("%s+%d(FP)", a.name, a.offset)
	case a.kind == table:
		return fmt.Sprintf("%d(%s)", a.offset, t.spare[a.name])
	case a.kind != memory:
		panic("no place")
	case a.index < 0:
		return fmt.Sprintf("%d(%s)", a.offset, generalName(a.base))
	}
	sum := a
	sum.offset = 0
	if t.sum != sum {
		t.line("ADD %s, %s, %s", shifted(a), generalName(a.base), address)
		t.sum = sum
	}
	return fmt.Sprintf("%d(%s)", a.offset, address)
}

// shifted is index·scale.
func shifted(a operand) string {
	if a.scale == 1 {
		return generalName(a.index)
	}
	return fmt.Sprintf("%s<<%d", generalName(a.index), map[int]int{2: 1, 4: 2, 8: 3}[a.scale])
}

// address computes an address.
func (t *translation) address(a operand, to string) {
	switch {
	case a.kind == table:
		if a.name != maskTable {
			t.line("ADD $%d, %s, %s", a.offset, t.spare[a.name], to)
		}
		return
	case a.index < 0:
		t.line("ADD $%d, %s, %s", a.offset, generalName(a.base), to)
		return
	}
	t.line("ADD %s, %s, %s", shifted(a), generalName(a.base), to)
	if a.offset != 0 {
		t.line("ADD $%d, %s", a.offset, to)
	}
}
