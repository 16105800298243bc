package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestToBF16: to nearest, ties to even, and what is not finite stays so.
func TestToBF16(t *testing.T) {
	for _, c := range []struct {
		v    float32
		want uint16
	}{
		{1, 0x3f80},
		{math.Float32frombits(0x3f808000), 0x3f80}, // a tie: down to even
		{math.Float32frombits(0x3f818000), 0x3f82}, // a tie: up to even
		{math.Float32frombits(0x3f808001), 0x3f81},
		{math.Float32frombits(0x7f7fffff), 0x7f80}, // the largest number is nearer to infinity
		{float32(math.Inf(-1)), 0xff80},
		{0, 0},
		{math.Float32frombits(0x80000000), 0x8000},
		{math.Float32frombits(0x7f800001), 0x7fc0}, // a NaN whose upper half is infinity
		{math.Float32frombits(0xffffffff), 0xffff},
	} {
		if got := toBF16(Real(c.v)); got != c.want && !(RealBytes == 8 && c.v != c.v) {
			t.Errorf("%x: %x, want %x", math.Float32bits(c.v), got, c.want)
		}
	}
}

// rounded is p with factors that are bf16 already.
func (p gemm) rounded() gemm {
	round := func(x []Real) []Real {
		y := make([]Real, len(x))
		for i, v := range x {
			y[i] = Real(math.Float32frombits(uint32(toBF16(v)) << 16))
		}
		return y
	}
	p.a, p.b = round(p.a), round(p.b)
	return p
}

// bf16Shapes are edges of groups, panels, steps and blocks, and reductions that are cut into parts.
var bf16Shapes = [][3]int{{1, 1, 1}, {2, 3, 5}, {31, 33, 31}, {32, 32, 32}, {33, 17, 64}, {129, 65, 97}, {160, 40, 513},
	{140, 7, 1100}, {40, 33, 2500}, {5, 2, 3333}, {64, 64, 1}}

// eachBF16 draws all four products of the shapes, with one of three pairs of α and β each.
func eachBF16(f func(p gemm)) {
	r := rand.New(rand.NewPCG(7, 7))
	for i, s := range bf16Shapes {
		for t := range 4 {
			ab := [...][2]Real{{1, 0}, {1, 1}, {-0.5, 0.25}}[(i+t)%3]
			f(randomGemm(r, t&1 != 0, t&2 != 0, s[0], s[1], s[2], ab[0], ab[1]))
		}
	}
}

// checkBF16 compares what run computes with the product of rounded factors, to what any order of sums may lose.
func (p gemm) checkBF16(t *testing.T, name string, run func(q gemm)) {
	t.Helper()
	want, tol := p.rounded().oracle()
	for i, s := range tol {
		tol[i] = 2 * float64(p.k+3) * (gemmUnit*s + math.SmallestNonzeroFloat32)
	}
	buffer, c := p.guarded()
	q := p
	q.c = c
	run(q)
	for i := range p.m {
		for j, got := range c[i*p.ldc:][:p.n] {
			if !agrees(float64(got), want[i*p.n+j], tol[i*p.n+j]) {
				t.Fatalf("%s %v: c[%d,%d] = %g, want %g ± %g", name, p, i, j, got, want[i*p.n+j], tol[i*p.n+j])
			}
			c[i*p.ldc+j] = gemmGuard
		}
	}
	for i, v := range buffer {
		if v != gemmGuard {
			t.Fatalf("%s %v: wrote %g outside C, at %d", name, p, v, i)
		}
	}
}

// TestGemmBF16 compares every level, whatever it runs on this CPU.
func TestGemmBF16(t *testing.T) {
	for l := Portable; l <= Best(); l++ {
		restore := Use(l)
		eachBF16(func(p gemm) {
			p.checkBF16(t, l.String(), func(q gemm) {
				GemmBF16(q.tA, q.tB, q.m, q.n, q.k, q.alpha, q.a, q.lda, q.b, q.ldb, q.beta, q.c, q.ldc)
			})
		})
		restore()
	}
}

// TestGemmBF16SameBits: on one thread, on two and on eight.
func TestGemmBF16SameBits(t *testing.T) {
	defer SetThreads(0)
	eachBF16(func(p gemm) {
		if p.beta != 0 {
			return
		}
		var first []Real
		for _, n := range []int{1, 2, 8} {
			SetThreads(n)
			c := make([]Real, len(p.c))
			GemmBF16(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, 0, c, p.ldc)
			if first == nil {
				first = c
			}
			for i := range c {
				if c[i] != first[i] {
					t.Fatalf("%v: %d threads differ at %d", p, n, i)
				}
			}
		}
	})
}

func TestGemmBF16AllocatesNothing(t *testing.T) {
	eachBF16(func(p gemm) {
		run := func() {
			GemmBF16(p.tA, p.tB, p.m, p.n, p.k, 1, p.a, p.lda, p.b, p.ldb, 0, p.c, p.ldc)
		}
		run()
		if n := testing.AllocsPerRun(3, run); n != 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	})
}
