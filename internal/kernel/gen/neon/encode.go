package main

import (
	"fmt"
	"slices"
	"strings"
)

// encodings are the instructions that the Go assembler has no name for, on four lanes of 32 bits: the bits without
// operands, and where each operand goes. Operands are in the order of ARM's manual, the result first; registers are
// numbers.
var encodings = map[string]struct {
	operands string
	bits     uint32
	places   string
}{
	"FADD4S":   {"d, n, m", 0x4e20d400, "(m)<<16|(n)<<5|(d)"},
	"FADD2D":   {"d, n, m", 0x4e60d400, "(m)<<16|(n)<<5|(d)"},
	"FADDD1":   {"d, n, m", 0x1e602800, "(m)<<16|(n)<<5|(d)"}, // one number of 64 bits
	"FSUB4S":   {"d, n, m", 0x4ea0d400, "(m)<<16|(n)<<5|(d)"},
	"FMUL4S":   {"d, n, m", 0x6e20dc00, "(m)<<16|(n)<<5|(d)"},
	"FDIV4S":   {"d, n, m", 0x6e20fc00, "(m)<<16|(n)<<5|(d)"},
	"FMAX4S":   {"d, n, m", 0x4e20f400, "(m)<<16|(n)<<5|(d)"},
	"FMIN4S":   {"d, n, m", 0x4ea0f400, "(m)<<16|(n)<<5|(d)"},
	"FADDP4S":  {"d, n, m", 0x6e20d400, "(m)<<16|(n)<<5|(d)"},
	"FMLA4S":   {"d, n, m", 0x4e20cc00, "(m)<<16|(n)<<5|(d)"}, // d += n·m
	"FMLS4S":   {"d, n, m", 0x4ea0cc00, "(m)<<16|(n)<<5|(d)"}, // d −= n·m
	"FMLALANE": {"d, n, m", 0x4f801000, "(m)<<16|(n)<<5|(d)"}, // d += n·m[0]
	"FMLSLANE": {"d, n, m", 0x4f805000, "(m)<<16|(n)<<5|(d)"}, // d −= n·m[0]
	"FCMEQ4S":  {"d, n, m", 0x4e20e400, "(m)<<16|(n)<<5|(d)"},
	"FCMGT4S":  {"d, n, m", 0x6ea0e400, "(m)<<16|(n)<<5|(d)"},
	"AND16B":   {"d, n, m", 0x4e201c00, "(m)<<16|(n)<<5|(d)"},
	"ORR16B":   {"d, n, m", 0x4ea01c00, "(m)<<16|(n)<<5|(d)"},
	"EOR16B":   {"d, n, m", 0x6e201c00, "(m)<<16|(n)<<5|(d)"},
	"BSL16B":   {"d, n, m", 0x6e601c00, "(m)<<16|(n)<<5|(d)"}, // d = n where d, else m
	"BIT16B":   {"d, n, m", 0x6ea01c00, "(m)<<16|(n)<<5|(d)"}, // d = n where m
	"BIF16B":   {"d, n, m", 0x6ee01c00, "(m)<<16|(n)<<5|(d)"}, // d = n where not m
	"ADD4S":    {"d, n, m", 0x4ea08400, "(m)<<16|(n)<<5|(d)"},
	"SUB4S":    {"d, n, m", 0x6ea08400, "(m)<<16|(n)<<5|(d)"},
	"MUL4S":    {"d, n, m", 0x4ea09c00, "(m)<<16|(n)<<5|(d)"},
	"SMAX4S":   {"d, n, m", 0x4ea06400, "(m)<<16|(n)<<5|(d)"},
	"UMAX4S":   {"d, n, m", 0x6ea06400, "(m)<<16|(n)<<5|(d)"},
	"CMEQ4S":   {"d, n, m", 0x6ea08c00, "(m)<<16|(n)<<5|(d)"},
	"ZIP14S":   {"d, n, m", 0x4e803800, "(m)<<16|(n)<<5|(d)"},
	"ZIP24S":   {"d, n, m", 0x4e807800, "(m)<<16|(n)<<5|(d)"},
	"ZIP12D":   {"d, n, m", 0x4ec03800, "(m)<<16|(n)<<5|(d)"},
	"ZIP22D":   {"d, n, m", 0x4ec07800, "(m)<<16|(n)<<5|(d)"},
	"EXT8":     {"d, n, m", 0x6e004000, "(m)<<16|(n)<<5|(d)"}, // the upper half of n, the lower of m
	"FADDS1":   {"d, n, m", 0x1e202800, "(m)<<16|(n)<<5|(d)"}, // one number
	"FDIVS1":   {"d, n, m", 0x1e201800, "(m)<<16|(n)<<5|(d)"},
	"FSQRTS1":  {"d, n", 0x1e21c000, "(n)<<5|(d)"},
	"FSQRT4S":  {"d, n", 0x6ea1f800, "(n)<<5|(d)"},
	"FRINTN4S": {"d, n", 0x4e218800, "(n)<<5|(d)"},
	"FCVTNS4S": {"d, n", 0x4e21a800, "(n)<<5|(d)"},
	"SCVTF4S":  {"d, n", 0x4e21d800, "(n)<<5|(d)"},
	"REV644S":  {"d, n", 0x4ea00800, "(n)<<5|(d)"},
	"MVN16B":   {"d, n", 0x6e205800, "(n)<<5|(d)"},
	"MOV16B":   {"d, n", 0x4ea01c00, "(n)<<16|(n)<<5|(d)"},
	"DUP4S":    {"d, n", 0x4e040400, "(n)<<5|(d)"}, // lane 0 of n
	"ADDV4S":   {"d, n", 0x4eb1b800, "(n)<<5|(d)"},
	"ZERO16B":  {"d", 0x6f00e400, "(d)"},
	"SHL4S":    {"d, n, k", 0x4f205400, "(k)<<16|(n)<<5|(d)"},
	"USHR4S":   {"d, n, k", 0x6f000400, "(64-(k))<<16|(n)<<5|(d)"},
	"SSHR4S":   {"d, n, k", 0x4f000400, "(64-(k))<<16|(n)<<5|(d)"},
}

// uses says whether text has a call of a macro.
func uses(text, name string) bool {
	return strings.Contains(text, "\t"+name+"(") || strings.Contains(text, " "+name+"(")
}

// defines writes the macros that text uses.
func defines(text string) string {
	var b strings.Builder
	names := make([]string, 0, len(encodings))
	for name := range encodings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if e := encodings[name]; uses(text, name) {
			fmt.Fprintf(&b, "#define %s(%s) WORD $(0x%08x|%s)\n", name, e.operands, e.bits, e.places)
		}
	}
	for _, m := range []macro{loadFirst, storeFirst} {
		if uses(text, m.name) {
			b.WriteString(m.define())
		}
	}
	return b.String()
}
