package main

import (
	"slices"
	"strings"
)

// set is a set of the 16 vector registers, a bit each.
type set uint16

func only(r int) set         { return 1 << r }
func (s set) has(r int) bool { return s>>r&1 != 0 }
func (in *instruction) branches() bool {
	return strings.HasPrefix(in.op, "J")
}

// vectors are the vector registers that an instruction reads and writes. The mask of a masked move is neither: it is
// a count, in a register for integers.
func (in *instruction) vectors() (reads, writes set) {
	n := len(in.args)
	if n == 0 || in.isMask() {
		return 0, 0
	}
	args := in.args
	if in.op == "VMASKMOVPS" {
		args = []operand{in.args[0], in.args[2]}
		n = 2
	}
	if in.op == "VXORPS" && args[0] == args[1] && args[1] == args[2] {
		return 0, only(args[2].reg)
	}
	for i, a := range args {
		switch {
		case a.kind != vector:
		case i == n-1:
			writes |= only(a.reg)
			if strings.HasPrefix(in.op, "VFM") || strings.HasPrefix(in.op, "VFN") {
				reads |= only(a.reg)
			}
		default:
			reads |= only(a.reg)
		}
	}
	return reads, writes
}

// isMask says whether an instruction cuts the mask of the first lanes from the table of masks.
func (in *instruction) isMask() bool { return in.op == "VMOVDQU" }

// live finds the vector registers whose values are still needed, before each instruction and after the last.
func (f *function) live() []set {
	place := map[string]int{}
	for i, in := range f.code {
		if in.op == "" {
			place[in.label] = i
		}
	}
	before := make([]set, len(f.code)+1)
	for changed := true; changed; {
		changed = false
		for i, in := range slices.Backward(f.code) {
			after := before[i+1]
			switch {
			case in.op == "JMP":
				after = before[place[in.args[0].name]]
			case in.op == "RET":
				after = 0
			case in.branches():
				after |= before[place[in.args[0].name]]
			}
			reads, writes := in.vectors()
			if now := after&^writes | reads; now != before[i] {
				before[i], changed = now, true
			}
		}
	}
	return before
}

// setsFlags are the integer instructions after which a jump may ask for the outcome.
var setsFlags = map[string]bool{"ADDQ": true, "ADDL": true, "SUBQ": true, "DECQ": true, "INCQ": true, "ANDQ": true,
	"CMPQ": true, "CMPL": true, "TESTQ": true, "NEGQ": true, "SHLQ": true, "SHRQ": true, "IMULQ": true, "XORQ": true}

// flagged says whether the outcome of instruction i is asked for.
func (f *function) flagged(i int) bool {
	for _, in := range f.code[i+1:] {
		switch {
		case in.op == "" || in.op == "JMP" || in.op == "RET" || setsFlags[in.op]:
			return false
		case in.branches() || strings.HasPrefix(in.op, "CMOV"):
			return true
		}
	}
	return false
}

// elementUses are the uses of the number that instruction i broadcasts into register r, where all of them are factors
// of sums of products: then it need not be spread, as NEON multiplies by a lane. Otherwise there are none.
func (f *function) elementUses(i, r int, before []set) []int {
	var uses []int
	for j := i + 1; j < len(f.code); j++ {
		in := &f.code[j]
		reads, writes := in.vectors()
		if reads.has(r) {
			if (in.op != "VFMADD231PS" && in.op != "VFNMADD231PS") || in.args[2].reg == r ||
				in.args[0] == in.args[1] || in.args[0].kind == vector && in.args[0].half {
				return nil
			}
			uses = append(uses, j)
		}
		if writes.has(r) {
			return uses
		}
		if in.op == "" || in.branches() || in.op == "RET" {
			if f.liveAfter(j, before).has(r) {
				return nil
			}
			return uses
		}
	}
	return nil
}

// liveAfter are the registers needed after instruction i.
func (f *function) liveAfter(i int, before []set) set {
	in := f.code[i]
	if in.op == "RET" {
		return 0
	}
	after := before[i+1]
	if !in.branches() {
		return after
	}
	to := slices.IndexFunc(f.code, func(x instruction) bool { return x.op == "" && x.label == in.args[0].name })
	if in.op == "JMP" {
		return before[to]
	}
	return after | before[to]
}
