package kernel

import "testing"

// TestMulComplex compares with Go's numbers, in and out of place; all levels have the same bits.
func TestMulComplex(t *testing.T) {
	rng := entryRand()
	for _, s := range [][2]int{{0, 4}, {3, 0}, {1, 2}, {5, 6}, {7, 66}, {9, 34}, {3, 118}, {3000, 64}} {
		a, b, old := normals(rng, s[0]*s[1]), normals(rng, s[0]*s[1]), normals(rng, s[0]*s[1])
		eachLevel(t, func(t *testing.T) {
			for _, conj := range []bool{false, true} {
				testMulComplex(t, a, b, old, s[0], s[1], conj)
			}
		})
	}
}

func testMulComplex(t *testing.T, a, b, old []Real, rows, cols int, conj bool) {
	want := complexProduct(a, b, cols, conj)
	d := newGuarded(rows * cols)
	MulComplex(d.x, a, b, rows, cols, conj, false)
	sameBits(t, "product", d.x, want)
	copy(d.x, a)
	MulComplex(d.x, d.x, b, rows, cols, conj, false)
	sameBits(t, "product in place", d.x, want)
	for i := range want {
		want[i] += old[i]
	}
	copy(d.x, old)
	MulComplex(d.x, a, b, rows, cols, conj, true)
	sameBits(t, "sum", d.x, want)
	d.check(t, "complex")
}

// TestImComplex compares with the imaginary part of the product; all levels have the same bits.
func TestImComplex(t *testing.T) {
	rng := entryRand()
	for _, s := range [][2]int{{0, 4}, {3, 0}, {1, 2}, {5, 6}, {7, 66}, {9, 34}, {3, 118}, {3000, 64}} {
		rows, cols, k := s[0], s[1], s[1]/2
		a, b := normals(rng, rows*cols), normals(rng, rows*cols)
		product, want := complexProduct(a, b, cols, true), make([]Real, 0, rows*k)
		for i := range rows {
			want = append(want, product[i*cols+k:(i+1)*cols]...)
		}
		eachLevel(t, func(t *testing.T) {
			d := newGuarded(rows * k)
			ImComplex(d.x, a, b, rows, cols)
			sameBits(t, "imaginary part", d.x, want)
			d.check(t, "imaginary part")
		})
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
