package parts

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// TestNumbers compares both ways of writing and reading numbers with encoding/binary.
func TestNumbers(t *testing.T) {
	defer func(was bool) { littleEndian = was }(littleEndian)
	x := []float32{0, -1.5, math.MaxFloat32, float32(math.Inf(-1)), 1e-45}
	want, err := binary.Append([]byte("head"), binary.LittleEndian, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, littleEndian = range []bool{littleEndian, false} {
		for n := range len(x) + 1 {
			b := Append([]byte("head"), x[:n])
			if !bytes.Equal(b, want[:4+4*n]) {
				t.Errorf("%v: %d numbers are %x, want %x", littleEndian, n, b, want[:4+4*n])
			}
			y := make([]float32, n)
			if rest := Decode(y, append(b[4:], "rest"...)); string(rest) != "rest" || !slices.Equal(y, x[:n]) {
				t.Errorf("%v: read %v and %q, want %v", littleEndian, y, rest, x[:n])
			}
		}
	}
}
