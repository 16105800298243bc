package kernel

import (
	"fmt"
	"math"
	"testing"
)

// broadcastShapes are rows×cols with every tail, few and many rows, and several chunks.
func broadcastShapes() [][2]int {
	var s [][2]int
	for c := range 68 {
		s = append(s, [2]int{3, c})
	}
	return append(s, [][2]int{{0, 5}, {1, 40}, {67, 1}, {700, 50}, {40000, 1}, {1, 40000}, {5000, 7}}...)
}

// storedAt is where b[i,j] lies.
func (bc Broadcast) storedAt(i, j, cols int) int {
	switch bc {
	case Full:
		return i*cols + j
	case ByRow:
		return j
	case ByCol:
		return i
	}
	return 0
}

func (bc Broadcast) size(rows, cols int) int {
	return [...]int{rows * cols, cols, rows, 1}[bc]
}

func TestLinear(t *testing.T) {
	rng := entryRand()
	const alpha, beta = 0.7, -1.3
	eachLevel(t, func(t *testing.T) {
		for _, s := range broadcastShapes() {
			rows, cols := s[0], s[1]
			n := rows * cols
			for bc := Full; bc <= ByScalar; bc++ {
				a, b, d := withSpecials(rng, n), normals(rng, bc.size(rows, cols)), normals(rng, n)
				for op := range numLinear {
					what := fmt.Sprintf("op %d, %d×%d %v", op, rows, cols, bc)
					want, size := make([]float64, n), make([]float64, n)
					for i := range want {
						x, y := float64(a[i]), 0.0
						if n > 0 {
							y = float64(b[bc.storedAt(i/cols, i%cols, cols)])
						}
						al, be := float64(Real(alpha)), float64(Real(beta))
						switch op {
						case opAxpby:
							want[i], size[i] = al*x+be*y, math.Abs(al*x)+math.Abs(be*y)
						case opMul:
							want[i], size[i] = al*x*y, math.Abs(al*x*y)
						case opMulAdd:
							want[i], size[i] = float64(d[i])+al*x*y, math.Abs(float64(d[i]))+math.Abs(al*x*y)
						}
					}
					call := func(dst, a, b []Real) {
						switch op {
						case opAxpby:
							Axpby(dst, a, b, rows, cols, bc, alpha, beta)
						case opMul:
							Mul(dst, a, b, rows, cols, bc, alpha)
						case opMulAdd:
							MulAdd(dst, a, b, rows, cols, bc, alpha)
						}
					}
					// At most three roundings, in any order, each of a part of size.
					scale := func(i int) float64 { return math.Max(size[i], 1e-37) }
					dst, ga, gb := copyGuarded(d), copyGuarded(a), copyGuarded(b)
					call(dst.x, ga.x, gb.x)
					near(t, what, dst.x, want, 4*roundoff, scale)
					dst.check(t, what)
					if op != opMulAdd {
						call(ga.x, ga.x, gb.x)
						near(t, what+" in place", ga.x, want, 4*roundoff, scale)
						ga.check(t, what+" in place")
					}
				}
			}
		}
	})
}

func TestAffine(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range entrySizes() {
			x := normals(rng, n)
			want := make([]float64, n)
			for i, v := range x {
				want[i] = float64(Real(1.7))*float64(v) + float64(Real(0.3))
			}
			b := copyGuarded(x)
			Affine(b.x, b.x, 1.7, 0.3)
			near(t, "affine", b.x, want, 3*roundoff,
				func(i int) float64 { return 1 + math.Abs(want[i]) + 2*math.Abs(float64(x[i])) })
			b.check(t, "affine")
		}
	})
}

func TestChoose(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range entrySizes() {
			a, b, y := withSpecials(rng, n), withSpecials(rng, n), normals(rng, n)
			hi, lo, mask := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range a {
				p, q := float64(a[i]), float64(b[i])
				hi[i], lo[i] = max(p, q), min(p, q)
				if p > q {
					mask[i] = float64(y[i])
				} else if p == q {
					mask[i] = float64(y[i] / 2)
				}
			}
			exact := func(int) float64 { return 0 }
			d, ga, gb, gy := newGuarded(n), copyGuarded(a), copyGuarded(b), copyGuarded(y)
			Maximum(d.x, ga.x, gb.x)
			near(t, "maximum", d.x, hi, 0, exact)
			Minimum(d.x, ga.x, gb.x)
			near(t, "minimum", d.x, lo, 0, exact)
			d.check(t, "minimum")
			GreaterMask(gy.x, ga.x, gb.x, gy.x)
			near(t, "mask", gy.x, mask, 0, exact)
			gy.check(t, "mask")
			Maximum(ga.x, ga.x, gb.x)
			near(t, "maximum in place", ga.x, hi, 0, exact)
			ga.check(t, "maximum in place")
		}
	})
}

func TestExpand(t *testing.T) {
	rng := entryRand()
	for _, s := range broadcastShapes() {
		rows, cols := s[0], s[1]
		for bc := Full; bc <= ByScalar; bc++ {
			b, d := normals(rng, bc.size(rows, cols)), newGuarded(rows*cols)
			Expand(d.x, b, rows, cols, bc)
			for i := range d.x {
				if d.x[i] != b[bc.storedAt(i/cols, i%cols, cols)] {
					t.Fatalf("%d×%d %v: wrong at %d", rows, cols, bc, i)
				}
			}
			d.check(t, "expand")
		}
	}
}
