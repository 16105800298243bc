package mattest_test

import (
	"fmt"
	"testing"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// TestOpaque: it keeps the contract.
func TestOpaque(t *testing.T) { mattest.TestDevice(t, mattest.Opaque) }

// TestElementary: it has none of the fused operations, so that their plain forms are what runs on it.
func TestElementary(t *testing.T) {
	if _, ok := mattest.Opaque.(mat.Stepper); ok {
		t.Error("it has fused steps")
	}
	if _, ok := mattest.Opaque.(mat.Descender); ok {
		t.Error("it has fused descents")
	}
	if _, ok := mattest.Opaque.(mat.Normalizer); ok {
		t.Error("it has fused normalisation")
	}
	if _, ok := mattest.Opaque.(mat.Turner); ok {
		t.Error("it has products of complex numbers")
	}
}

func panicked(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestRefuses: memory of others and memory that was freed, and whatever needs the host while operations are recorded.
func TestRefuses(t *testing.T) {
	x, gone := mat.NewOn(mattest.Opaque, 2, 2), mat.NewOn(mattest.Opaque, 2, 2)
	foreign := mat.NewOn(mat.CPU, 1, 1).Buffer()
	alias := gone.As(mat.Shape{Rows: 4, Cols: 1})
	gone.Free()
	one := x.As(mat.Shape{Rows: 1, Cols: 1})
	record := func(f func()) func() { return func() { mattest.Opaque.(mat.Recorder).Record(f) } }
	for want, f := range map[string]func(){
		"opaque: memory of another device, mat.cpuBuffer":      func() { mattest.Opaque.Read(nil, foreign) },
		"opaque: memory that was freed":                        func() { mat.Fill(alias, 1) },
		"opaque: Read while operations are recorded":           record(func() { x.Slice() }),
		"opaque: At while operations are recorded":             record(func() { one.Item() }),
		"opaque: Write while operations are recorded":          record(func() { x.Write(make([]mat.Real, 4)) }),
		"opaque: Alloc while operations are recorded":          record(func() { mat.NewOn(mattest.Opaque, 1, 1) }),
		"opaque: FirstNonFinite while operations are recorded": record(func() { _ = x.CheckFinite() }),
	} {
		if got := fmt.Sprint(panicked(f)); got != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
