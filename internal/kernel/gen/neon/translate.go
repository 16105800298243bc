package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tables: masks are cut from maskTable, which the result does not need; laneTable holds the bit of every lane.
const (
	maskTable = "maskWindows"
	laneTable = "laneBits"
)

// translation is one function on its way.
type translation struct {
	*function
	words  map[string][]uint32
	before []set             // live, see there
	spare  map[string]string // registers of tables by name, and of the counts of masks by "mask" and number
	scalar map[int]int       // by instruction: which vector register holds its number in lane 0 only
	free   set               // vector registers that hold nothing around the instruction
	sum    operand           // base + index·scale, where the address register holds that
	out    []string
}

// translate writes a function; used collects the tables that it reads.
func translate(f *function, words map[string][]uint32, used map[string]bool) string {
	words[laneTable] = []uint32{1, 2, 4, 8, 16, 32, 64, 128}
	t := &translation{function: f, words: words, before: f.live(), spare: map[string]string{}, scalar: map[int]int{}}
	if t.before[0] != 0 {
		panic(f.name + " reads a register that it has not written")
	}
	for _, name := range t.tables() {
		used[name] = true
		t.line("MOVD $%s<>(SB), %s", name, t.register(name))
	}
	for i := range f.code {
		t.instruction(i)
	}
	name := strings.TrimSuffix(f.name, "AVX2") + "NEON"
	return fmt.Sprintf("\nTEXT ·%s(SB), NOSPLIT, $0-%s\n%s\n", name, f.size, strings.Join(t.out, "\n"))
}

// tables are the names of the tables that the function reads.
func (f *function) tables() []string {
	found := map[string]bool{}
	for _, in := range f.code {
		if in.op == "VMOVMSKPS" {
			found[laneTable] = true
		}
		for _, a := range in.args {
			if a.kind == table && a.name != maskTable {
				found[a.name] = true
			}
		}
	}
	return sorted(found)
}

func sorted(names map[string]bool) []string { return slices.Sorted(maps.Keys(names)) }

// register is the register of a table or count, a new one at first.
func (t *translation) register(name string) string {
	if t.spare[name] == "" {
		if len(t.spare) == len(spare) {
			panic(t.name + " needs too many registers")
		}
		t.spare[name] = spare[len(t.spare)]
	}
	return t.spare[name]
}

func (t *translation) line(format string, args ...any) {
	t.out = append(t.out, "\t"+fmt.Sprintf(format, args...))
}

// instruction translates instruction i.
func (t *translation) instruction(i int) {
	in := &t.code[i]
	if in.op == "" {
		t.sum = operand{}
		t.out = append(t.out, "", in.label+":")
		return
	}
	t.free = ^(t.before[i] | t.liveAfter(i, t.before))
	for _, a := range in.args {
		if a.kind == vector {
			t.free &^= only(a.reg)
		}
	}
	if in.op != "VZEROUPPER" && !t.integer(i, in) && !t.numbers(i, in) {
		panic(fmt.Sprintf("%s: no translation of %s %v", t.name, in.op, in.args))
	}
	if n := len(in.args); n > 0 && in.args[n-1].kind == general {
		if r := in.args[n-1].reg; r == t.sum.base || r == t.sum.index {
			t.sum = operand{}
		}
	}
}

// scratch is a pair of registers that hold nothing.
func (t *translation) scratch() pair {
	for r := range 16 {
		if t.free.has(r) {
			t.free &^= only(r)
			return pairOf(r)
		}
	}
	panic(t.name + " has no vector register left")
}
