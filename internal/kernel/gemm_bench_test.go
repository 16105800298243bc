package kernel

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// gemmShapes are the products of the workloads in design.md, section 6.
var gemmShapes = []struct {
	kind    string // NN: X·W, NT: dZ·Wᵀ, TN: Xᵀ·dZ
	m, n, k int
}{
	{"NN", 19717, 64, 500}, {"NN", 22662, 512, 300}, {"NN", 169343, 256, 128},
	{"NN", 22662, 512, 512}, {"NN", 169343, 256, 256},
	{"NT", 22662, 512, 512}, {"NT", 169343, 256, 256},
	{"TN", 500, 64, 19717}, {"TN", 300, 512, 22662}, {"TN", 128, 256, 169343},
	{"TN", 512, 512, 22662}, {"TN", 256, 256, 169343},
	// Classes: logits, their gradient to H, their gradient to W.
	{"NN", 2708, 7, 64}, {"NN", 19717, 3, 64}, {"NN", 22662, 18, 512}, {"NN", 11758, 2, 512}, {"NN", 169343, 40, 256},
	{"NT", 2708, 64, 7}, {"NT", 19717, 64, 3}, {"NT", 22662, 512, 18}, {"NT", 11758, 512, 2}, {"NT", 169343, 256, 40},
	{"TN", 64, 7, 2708}, {"TN", 64, 3, 19717}, {"TN", 512, 18, 22662}, {"TN", 512, 2, 11758}, {"TN", 256, 40, 169343},
}

// BenchmarkGemm reports GFLOP/s, the share of the FMA peak (the median over calls, and that of the fastest call) and
// the traffic if all operands went to memory once. The peak is measured after every call, for as long as the call
// took: cores that have just been idle multiply 15 % faster for some milliseconds than they can for long, and shared
// ones are slowed down by others at some times and not at others.
func BenchmarkGemm(b *testing.B) {
	defer SetThreads(0)
	for _, s := range gemmShapes {
		for _, threads := range []int{1, 2, 8, 16} {
			if threads > runtime.NumCPU() {
				break
			}
			b.Run(fmt.Sprintf("%s/%dx%dx%d/threads=%d", s.kind, s.m, s.n, s.k, threads), func(b *testing.B) {
				SetThreads(threads)
				benchGemm(b, s.kind == "TN", s.kind == "NT", s.m, s.n, s.k)
			})
		}
	}
}

// benchGemm measures one shape with contiguous operands and β = 0.
func benchGemm(b *testing.B, tA, tB bool, m, n, k int) {
	a, w, c := Alloc(m*k), Alloc(k*n), Alloc(m*n)
	for i := range a {
		a[i] = Real(i%7) - 3
	}
	for i := range w {
		w[i] = Real(i%5) - 2
	}
	lda, ldb := k, n
	if tA {
		lda = m
	}
	if tB {
		ldb = k
	}
	Gemm(tA, tB, m, n, k, 1, a, lda, w, ldb, 0, c, n)
	flops := 2 * float64(m) * float64(n) * float64(k)
	best, peak, shares := time.Hour, 0.0, []float64{}
	for b.Loop() {
		start := time.Now()
		Gemm(tA, tB, m, n, k, 1, a, lda, w, ldb, 0, c, n)
		took := time.Since(start)
		best = min(best, took)
		b.StopTimer()
		now := PeakFMA(Threads(), max(took, 2*time.Millisecond))
		peak, shares = peak+now, append(shares, 100*flops/float64(took.Nanoseconds())/now)
		b.StartTimer()
	}
	peak /= float64(len(shares))
	slices.Sort(shares)
	bytes := float64(RealBytes * (m*k + k*n + m*n))
	rate := flops * float64(b.N) / float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(rate, "GFLOP/s")
	b.ReportMetric(shares[len(shares)/2], "%peak")
	b.ReportMetric(100*flops/float64(best.Nanoseconds())/peak, "best-%peak")
	b.ReportMetric(bytes*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GB/s")
}
