package kernel

import (
	"slices"
	"testing"
)

// TestMulComplex compares with Go's complex numbers, in and out of place.
func TestMulComplex(t *testing.T) {
	rng := entryRand()
	for _, s := range [][2]int{{0, 4}, {3, 0}, {1, 2}, {5, 6}, {7, 66}, {3000, 64}} {
		rows, cols := s[0], s[1]
		a, b, old := normals(rng, rows*cols), normals(rng, rows*cols), normals(rng, rows*cols)
		for _, conj := range []bool{false, true} {
			for _, add := range []bool{false, true} {
				want := complexProduct(a, b, cols, conj)
				d := newGuarded(rows * cols)
				copy(d.x, old)
				for i := range want {
					if add {
						want[i] += old[i]
					}
				}
				MulComplex(d.x, a, b, rows, cols, conj, add)
				if !slices.Equal(d.x, want) {
					t.Fatalf("%d×%d, conj %v, add %v: wrong", rows, cols, conj, add)
				}
				d.check(t, "complex")
				if !add {
					inPlace := slices.Clone(a)
					MulComplex(inPlace, inPlace, b, rows, cols, conj, false)
					if !slices.Equal(inPlace, want) {
						t.Fatalf("%d×%d, conj %v: wrong in place", rows, cols, conj)
					}
				}
			}
		}
	}
}

// complexProduct is a∘b, every product rounded.
func complexProduct(a, b []Real, cols int, conj bool) []Real {
	out, k := make([]Real, len(a)), cols/2
	for i := range a {
		j := i % cols
		if j >= k {
			continue
		}
		p, q, r, s := a[i], a[i+k], b[i], b[i+k]
		if conj {
			s = -s
		}
		out[i], out[i+k] = Real(p*r)-Real(q*s), Real(p*s)+Real(q*r)
	}
	return out
}

func BenchmarkMulComplex(b *testing.B) {
	x, y, z := Alloc(10000*64), Alloc(10000*64), Alloc(10000*64)
	b.SetBytes(3 * 4 * 10000 * 64)
	for b.Loop() {
		MulComplex(z, x, y, 10000, 64, true, false)
	}
}
