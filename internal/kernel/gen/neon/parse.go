package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// function is one function of assembly.
type function struct {
	name, size string // as in TEXT ·name(SB), NOSPLIT, $0-size
	code       []instruction
}

// instruction is an instruction, or a label where op is empty.
type instruction struct {
	op    string
	args  []operand
	label string
}

// kind says what an operand is.
type kind int

const (
	general  kind = iota // a register for integers and addresses: reg
	vector               // a register for numbers: reg; half where it is an X register
	constant             // value
	memory               // offset + base + index·scale
	argument             // name+offset(FP)
	table                // name<>+offset(SB)
	target               // a label: name
)

// operand is an operand; what its kind does not need is zero. Registers are numbers of the x86 ones.
type operand struct {
	kind   kind
	reg    int
	half   bool
	value  int64
	name   string
	offset int
	base   int
	index  int // −1 for none
	scale  int
}

// generals are the registers for integers, in the order of their numbers here, and their lowest bytes.
var generals = []string{"AX", "CX", "DX", "BX", "SI", "DI", "BP", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}
var lowBytes = []string{"AL", "CL", "DL", "BL", "SIB", "DIB", "BPB"}

var (
	argumentForm = regexp.MustCompile(`^(\w+)\+(\d+)\(FP\)$`)
	tableForm    = regexp.MustCompile(`^(\w+)<>\+(\d+)\(SB\)$`)
	memoryForm   = regexp.MustCompile(`^(-?\d*)\((\w+)\)(?:\((\w+)\*(\d)\))?$`)
	vectorForm   = regexp.MustCompile(`^([XY])(\d+)$`)
	textForm     = regexp.MustCompile(`^TEXT ·(\w+)\(SB\), NOSPLIT, \$\d+-(\d+)$`)
)

// parse reads a file as avo writes it: its functions, and the words of its tables by name.
func parse(text string) (functions []*function, words map[string][]uint32) {
	words = map[string][]uint32{}
	var f *function
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "TEXT"):
			m := textForm.FindStringSubmatch(line)
			f = &function{name: m[1], size: m[2]}
			functions = append(functions, f)
		case strings.HasPrefix(line, "DATA"):
			var name string
			var value uint32
			line = strings.NewReplacer("<>+", " ", "(SB)/4, $", " ").Replace(line)
			if _, err := fmt.Sscanf(line, "DATA %s %d %v", &name, new(int), &value); err != nil {
				panic(err)
			}
			words[name] = append(words[name], value)
		case strings.HasPrefix(line, "\t"):
			f.code = append(f.code, parseInstruction(line))
		case strings.HasSuffix(line, ":"):
			f.code = append(f.code, instruction{label: strings.TrimSuffix(line, ":")})
		}
	}
	return functions, words
}

func parseInstruction(line string) instruction {
	op, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	in := instruction{op: op}
	if rest = strings.TrimSpace(rest); rest != "" {
		for _, s := range strings.Split(rest, ", ") {
			in.args = append(in.args, parseOperand(s))
		}
	}
	return in
}

func parseOperand(s string) operand {
	if m := vectorForm.FindStringSubmatch(s); m != nil {
		return operand{kind: vector, reg: number(m[2]), half: m[1] == "X"}
	}
	if r := generalNumber(s); r >= 0 {
		return operand{kind: general, reg: r}
	}
	if strings.HasPrefix(s, "$") {
		v, err := strconv.ParseInt(s[1:], 0, 64)
		if err != nil {
			panic(err)
		}
		return operand{kind: constant, value: v}
	}
	if m := argumentForm.FindStringSubmatch(s); m != nil {
		return operand{kind: argument, name: m[1], offset: number(m[2])}
	}
	if m := tableForm.FindStringSubmatch(s); m != nil {
		return operand{kind: table, name: m[1], offset: number(m[2])}
	}
	if m := memoryForm.FindStringSubmatch(s); m != nil {
		at := operand{kind: memory, base: generalNumber(m[2]), index: generalNumber(m[3])}
		if m[1] != "" {
			at.offset = number(m[1])
		}
		if m[4] != "" {
			at.scale = number(m[4])
		}
		return at
	}
	return operand{kind: target, name: s}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// generalNumber is the number of a register for integers, −1 for anything else.
func generalNumber(name string) int {
	for i, n := range generals {
		if n == name || i < len(lowBytes) && lowBytes[i] == name {
			return i
		}
	}
	return -1
}
