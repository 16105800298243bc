package kernel

import (
	"fmt"
	"unsafe"
)

// stepTape is what the adjoint needs of one step over one panel, rows×width: bit j%16 of word j/16 of row i belongs to
// entry (i, j). Fields that the kind of step does not need are nil.
type stepTape struct {
	active   []uint16 // |h − p| < T, for Huber
	positive []uint16 // z > 0, for h ≥ 0
	slope    []Real   // φ', for log-cosh
}

// maskWords returns the number of 16-bit words in a row of width bits.
func maskWords(width int) int { return (width + 15) / 16 }

// maskReals returns the room for the bits of one step, whole cache lines.
func maskReals(rows, width int) int {
	return roundLine((2*rows*maskWords(width) + RealBytes - 1) / RealBytes)
}

// roundLine rounds n numbers up to whole cache lines, so panels do not share one.
func roundLine(n int) int {
	const line = align / RealBytes
	return (n + line - 1) / line * line
}

// checkTape panics if tape is too short, which assembly would not notice.
func (d *Descent) checkTape(tape []Real) {
	if want := d.TapeLen(); len(tape) < want {
		panic(fmt.Sprintf("kernel: Descent: tape of %d numbers, want %d", len(tape), want))
	}
}

// stepTapeLen returns the room for one step of a panel.
func (d *Descent) stepTapeLen(width int) int {
	n := 0
	if d.Kind.Phi == PhiHuber {
		n += maskReals(d.Rows, width)
	}
	if d.Kind.NonNeg {
		n += maskReals(d.Rows, width)
	}
	if d.Kind.Phi == PhiLogCosh {
		n += roundLine(d.Rows * width)
	}
	return n
}

// panelTape returns the part of tape that belongs to panel c: its steps one after the other.
func (d *Descent) panelTape(tape []Real, c int) []Real {
	if tape == nil {
		return nil
	}
	w := d.panelWidth()
	if w == 0 {
		return tape
	}
	lo, hi := d.panelCols(c)
	start := c * d.Steps * d.stepTapeLen(w)
	return tape[start : start+d.Steps*d.stepTapeLen(hi-lo)]
}

// tapeOf cuts step k out of the tape of a panel.
func (d *Descent) tapeOf(tape []Real, k, width int) stepTape {
	var t stepTape
	if len(tape) == 0 {
		return t
	}
	n := d.stepTapeLen(width)
	tape = tape[k*n : (k+1)*n]
	if d.Kind.Phi == PhiHuber {
		t.active, tape = cutMask(tape, d.Rows, width)
	}
	if d.Kind.NonNeg {
		t.positive, tape = cutMask(tape, d.Rows, width)
	}
	if d.Kind.Phi == PhiLogCosh {
		t.slope = tape[:d.Rows*width]
	}
	return t
}

// cutMask takes the bits of one step off the front of tape.
func cutMask(tape []Real, rows, width int) (mask []uint16, rest []Real) {
	n := rows * maskWords(width)
	return unsafe.Slice((*uint16)(unsafe.Pointer(&tape[0])), n), tape[maskReals(rows, width):]
}

// putBit writes bit j of a row of mask words; the bits of a row are written in order.
func putBit(row []uint16, j int, on bool) {
	if row == nil {
		return
	}
	if j%16 == 0 {
		row[j/16] = 0
	}
	if on {
		row[j/16] |= 1 << (j % 16)
	}
}

// getBit reads bit j of a row of mask words; a missing row is all ones.
func getBit(row []uint16, j int) bool {
	return row == nil || row[j/16]>>(j%16)&1 != 0
}

// maskRow returns row i of mask, nil for nil.
func maskRow(mask []uint16, i, width int) []uint16 {
	if mask == nil {
		return nil
	}
	n := maskWords(width)
	return mask[i*n : (i+1)*n]
}
