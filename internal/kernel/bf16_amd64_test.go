//go:build amd64 && !noasm && !f64

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// bf16Go is a bf16Core in plain Go, by the formula.
func bf16Go(panels, steps int, a *Real, lda int, b, c *Real, ldc, add int) {
	pairs, cols := steps*bf16Panel/2, panels*bf16Panel
	x, y := unsafe.Slice(a, (bf16Panel-1)*lda+pairs), unsafe.Slice(b, pairs*cols)
	s := unsafe.Slice(c, (bf16Panel-1)*ldc+cols)
	half := func(v Real, upper bool) float32 {
		bits := math.Float32bits(v)
		if upper {
			return math.Float32frombits(bits &^ 0xffff)
		}
		return math.Float32frombits(bits << 16)
	}
	for i := range bf16Panel {
		for j := range cols {
			sum := s[i*ldc+j]
			if add == 0 {
				sum = 0
			}
			for q := range pairs {
				u, v := x[i*lda+q], y[(j/bf16Panel*pairs+q)*bf16Panel+j%bf16Panel]
				sum += half(u, false)*half(v, false) + half(u, true)*half(v, true)
			}
			s[i*ldc+j] = sum
		}
	}
}

// bf16Named are the bodies of this CPU by name, and the one in Go.
func bf16Named(t *testing.T) map[string]bf16Core {
	if Best() < AVX512 || !cpu.X86.HasAVX512BF16 {
		t.Skip("no AVX512_BF16 to pack pairs with")
	}
	named := map[string]bf16Core{"go": bf16Go, "avx512_bf16": bf16DotAVX512}
	if hasAMX() {
		named["amx"] = bf16AMX
	}
	t.Logf("%d of 3 bodies", len(named))
	return named
}

// TestBF16Packed: products by packed pairs, with every body that runs here.
func TestBF16Packed(t *testing.T) {
	for name, core := range bf16Named(t) {
		eachBF16(func(p gemm) { p.checkBF16(t, name, func(q gemm) { q.runBF16(core) }) })
	}
}

// TestBF16Cores compares single calls with the one in Go: the sums of small integers are exact in any order. What is
// between the rows of C stays.
func TestBF16Cores(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	small := func() Real { return Real(r.IntN(17) - 8) }
	for name, core := range bf16Named(t) {
		for run := range 40 {
			panels, steps, add := 1+run%4, 1+run/4%5, run/20
			lda, ldc := steps*16+16, panels*32+3
			a, b := Alloc(32*lda), Alloc(steps*16*32*panels)
			for _, x := range [][]Real{a, b} {
				for i := range x {
					x[i] = math.Float32frombits(uint32(toBF16(small()))<<16 | uint32(toBF16(small())))
				}
			}
			got, want := Alloc(32*ldc), Alloc(32*ldc)
			for i := range got {
				got[i] = small()
			}
			copy(want, got)
			core(panels, steps, &a[0], lda, &b[0], &got[0], ldc, add)
			bf16Go(panels, steps, &a[0], lda, &b[0], &want[0], ldc, add)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s, %d panels, %d steps, add %d: %v at %d, want %v", name, panels, steps, add, got[i], i,
						want[i])
				}
			}
		}
	}
}

// flushed is toBF16, but 0 with the sign of v where v is below the smallest normal number.
func flushed(v Real) uint32 {
	if bits := math.Float32bits(v); bits&0x7f800000 == 0 {
		return bits >> 31 << 15
	}
	return uint32(toBF16(v))
}

// TestBF16Conversions compares the assembly with toBF16, for all classes of numbers and lengths to 67, and guards what
// is behind.
func TestBF16Conversions(t *testing.T) {
	if Best() < AVX512 || !cpu.X86.HasAVX512BF16 {
		t.Skip("no AVX512_BF16")
	}
	r := rand.New(rand.NewPCG(5, 1))
	draw := func(n int) []Real {
		x := make([]Real, n)
		for i := range x {
			x[i] = math.Float32frombits(r.Uint32())
			if r.IntN(4) == 0 {
				x[i] = math.Float32frombits(r.Uint32()&0xffff0000 | 0x8000)
			}
			if r.IntN(9) == 0 {
				x[i] = math.Float32frombits(0x7f800000 | r.Uint32()&0xff)
			}
		}
		return x
	}
	for n := 1; n <= 67; n++ {
		x, y := draw(n), draw(n)
		narrow, pair := make([]uint16, n+4), make([]uint32, n+2)
		narrow[n], pair[n] = 0xabcd, 0xabcd
		bf16NarrowAVX512((*Real)(unsafe.Pointer(&narrow[0])), &x[0], n)
		bf16PairAVX512((*Real)(unsafe.Pointer(&pair[0])), &x[0], &y[0], n, bf16Panel)
		for i := range x {
			if want := flushed(y[i])<<16 | flushed(x[i]); narrow[i] != uint16(want) || pair[i] != want {
				t.Fatalf("%d of %d, %x and %x: %x and %x, want %x", i, n, math.Float32bits(x[i]),
					math.Float32bits(y[i]), narrow[i], pair[i], want)
			}
		}
		if narrow[n] != 0xabcd || pair[n] != 0xabcd {
			t.Fatalf("%d numbers: wrote behind them", n)
		}
	}
}

// BenchmarkGemmBF16 is products of the workloads, compared with Gemm.
// gemmRounded is GemmBF16 as CPUs without instructions for it do it.
func gemmRounded(tA, tB bool, m, n, k int, alpha Real, a []Real, lda int, b []Real, ldb int, beta Real, c []Real,
	ldc int) {
	p := gemm{tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}
	p.runRounded()
}

func BenchmarkGemmBF16(b *testing.B) {
	for _, s := range []struct {
		tA, tB  bool
		m, n, k int
	}{
		{false, false, 22662, 512, 512}, {false, true, 22662, 512, 512}, {true, false, 512, 512, 22662},
		{false, false, 22662, 512, 300}, {false, false, 169343, 256, 256}, {true, false, 256, 256, 169343},
		{false, false, 11758, 512, 512}, {false, false, 2708, 64, 64}, {false, false, 19717, 64, 64},
		{false, false, 19717, 64, 500}, {true, false, 64, 64, 19717},
	} {
		for name, f := range map[string]func(tA, tB bool, m, n, k int, alpha Real, a []Real, lda int, b []Real, ldb int,
			beta Real, c []Real, ldc int){"float32": Gemm, "bf16": GemmBF16, "rounded": gemmRounded} {
			b.Run(fmt.Sprintf("%v,%v/%dx%dx%d/%s", s.tA, s.tB, s.m, s.n, s.k, name), func(b *testing.B) {
				x, y, c := Alloc(s.m*s.k), Alloc(s.k*s.n), Alloc(s.m*s.n)
				Uniform(x, -1, 1, 1)
				Uniform(y, -1, 1, 2)
				lda, ldb := s.k, s.n
				if s.tA {
					lda = s.m
				}
				if s.tB {
					ldb = s.k
				}
				for b.Loop() {
					f(s.tA, s.tB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, c, s.n)
				}
				flops := 2 * float64(s.m) * float64(s.n) * float64(s.k) * float64(b.N)
				b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
