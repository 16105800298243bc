package main

import (
	"fmt"
	"strings"
)

// macro is a piece of code with places to jump to: lines that begin with ':' are names, which stand after "->".
type macro struct {
	name, operands string
	lines          []string
}

// loadFirst and storeFirst move the first N lanes of eight, 0 ≤ N ≤ 8, between memory at R16 and the registers A and B;
// FA and VA are both names of A. Lanes that are not loaded are 0, memory behind those is not touched. N is the same for
// all rows of a matrix, so that jumps are guessed right.
var (
	loadFirst = macro{"LOADFIRST", "N, FA, VA, FB, VB", first([]string{
		"VMOVI $0, VA.B16", "VMOVI $0, VB.B16"}, "FLDPQ (R16), (FA, FB)",
		func(op, place, name string) string {
			if op == "VLD1" {
				return op + " " + place + ", V" + name + ".S[2]"
			}
			return op + " " + place + ", F" + name
		})}
	storeFirst = macro{"STOREFIRST", "N, FA, VA, FB, VB", first(nil, "FSTPQ (FA, FB), (R16)",
		func(op, place, name string) string {
			if op == "VLD1" {
				return "VST1 V" + name + ".S[2], " + place
			}
			return op + " F" + name + ", " + place
		})}
)

// first is the tree of decisions on the bits of N.
func first(start []string, all string, move func(op, place, name string) string) []string {
	lines := append(start, "TBZ $3, N, ->some", all, "JMP ->end", ":some", "TBZ $2, N, ->under4",
		move("FMOVQ", "(R16)", "A"))
	lines = append(lines, upTo3("B", 16, move)...)
	lines = append(lines, "JMP ->end", ":under4")
	return append(lines, upTo3("A", 0, move)...)
}

// upTo3 moves N mod 4 lanes of register name, at an offset from R16.
func upTo3(name string, offset int, move func(op, place, name string) string) []string {
	at := fmt.Sprintf("%d(R16)", offset)
	return []string{
		"TBZ $1, N, ->under2" + name, move("FMOVD", at, name),
		"TBZ $0, N, ->end", fmt.Sprintf("ADD $%d, R16, R17", offset+8), move("VLD1", "(R17)", name), "JMP ->end",
		":under2" + name, "TBZ $0, N, ->end", move("FMOVS", at, name),
	}
}

// define writes the macro, with jumps by distance: a macro cannot have labels.
func (m macro) define() string {
	place, n := map[string]int{}, 0
	for _, line := range m.lines {
		if strings.HasPrefix(line, ":") {
			place[line[1:]] = n
		} else {
			n++
		}
	}
	place["end"] = n
	out := []string{fmt.Sprintf("#define %s(%s)", m.name, m.operands)}
	for _, line := range m.lines {
		if strings.HasPrefix(line, ":") {
			continue
		}
		if code, to, jumps := strings.Cut(line, "->"); jumps {
			line = fmt.Sprintf("%s%d(PC)", code, place[to]-(len(out)-1))
		}
		out = append(out, "\t"+line)
	}
	return strings.Join(out, " \\\n") + "\n"
}
