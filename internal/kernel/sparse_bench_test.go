package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"
)

// benchGraph is the shape of a graph that the sparse kernels are timed on.
type benchGraph struct {
	name         string
	nodes, edges int // undirected edges drawn; the pattern has almost twice as many entries
}

// benchGraphs have the nodes and entries of well-known data sets.
var benchGraphs = []benchGraph{
	{"cora", 2708, 5278},
	{"pubmed", 19717, 44324},
	{"tolokers", 11758, 519000},
	{"arxiv", 169343, 1157799},
}

// build draws the graph: one end of an edge with weight (i+10)^−0.6, the other uniformly, both
// directions stored, duplicates dropped.
func (g benchGraph) build() *CSR {
	rng := rand.New(rand.NewPCG(1, uint64(g.nodes)))
	weights := make([]float64, g.nodes)
	total := 0.0
	for i := range weights {
		total += math.Pow(float64(i+10), -0.6)
		weights[i] = total
	}
	pairs := make([]int64, 0, 2*g.edges)
	for range g.edges {
		u := min(sort.SearchFloat64s(weights, rng.Float64()*total), g.nodes-1)
		v := rng.IntN(g.nodes)
		pairs = append(pairs, int64(u)<<32|int64(v), int64(v)<<32|int64(u))
	}
	slices.Sort(pairs)
	return fromPairs(g.nodes, g.nodes, slices.Compact(pairs))
}

// fromPairs is the pattern of sorted row<<32 | column pairs.
func fromPairs(rows, cols int, pairs []int64) *CSR {
	ptr, idx := make([]int64, rows+1), make([]int32, len(pairs))
	for e, p := range pairs {
		ptr[p>>32+1]++
		idx[e] = int32(p)
	}
	for i := range rows {
		ptr[i+1] += ptr[i]
	}
	a, err := NewCSR(rows, cols, ptr, idx, nil)
	if err != nil {
		panic(err)
	}
	return a
}

// sparseOnes returns n ones of their own pages.
func sparseOnes(n int) []Real {
	x := Alloc(n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// benchSparse times f for every graph, number of columns and one and two threads, and reports GFLOP/s
// (two for an entry and column) and GB/s of gathered rows.
func benchSparse(b *testing.B, columns []int, f func(a *CSR, cols int) func()) {
	defer SetThreads(0)
	for _, g := range benchGraphs {
		var a *CSR
		for _, cols := range columns {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%d/threads=%d", g.name, cols, threads), func(b *testing.B) {
					if a == nil {
						a = g.build()
					}
					SetThreads(threads)
					timeGathers(b, f(a, cols), a.NNZ()*cols)
				})
			}
		}
	}
}

// timeGathers reports the best call of at least three, gathers being the numbers read by one.
func timeGathers(b *testing.B, call func(), gathers int) {
	call()
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		call()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(2*float64(gathers)/float64(best.Nanoseconds()), "GFLOP/s")
	b.ReportMetric(RealBytes*float64(gathers)/float64(best.Nanoseconds()), "GB/s")
}

var benchColumns = []int{1, 2, 3, 7, 16, 32, 40, 64, 128, 256, 512}

// BenchmarkSpMM is Σ x, all ones.
func BenchmarkSpMM(b *testing.B) {
	benchSparse(b, benchColumns, func(a *CSR, cols int) func() {
		x, dst := sparseOnes(a.Cols*cols), sparseOnes(a.Rows*cols)
		return func() { SpMM(dst, a, nil, nil, x, cols, 1, 0) }
	})
}

// BenchmarkSpMMBF16 is the same of rows that are rounded.
func BenchmarkSpMMBF16(b *testing.B) {
	benchSparse(b, []int{256, 512}, func(a *CSR, cols int) func() {
		x, dst := sparseOnes(a.Cols*cols), sparseOnes(a.Rows*cols)
		return func() { SpMMBF16(dst, a, nil, nil, x, cols, 1, 0) }
	})
}

// BenchmarkSpMMWeighted is Σ val·x.
func BenchmarkSpMMWeighted(b *testing.B) {
	benchSparse(b, []int{16, 64, 256}, func(a *CSR, cols int) func() {
		x, dst, val := sparseOnes(a.Cols*cols), sparseOnes(a.Rows*cols), sparseOnes(a.NNZ())
		return func() { SpMM(dst, a, val, nil, x, cols, 1, 0) }
	})
}

// BenchmarkSpMMTransposed is Σ val[Edge]·x.
func BenchmarkSpMMTransposed(b *testing.B) {
	benchSparse(b, []int{16, 64, 256}, func(a *CSR, cols int) func() {
		at := a.Transpose()
		x, dst, val := sparseOnes(a.Rows*cols), sparseOnes(a.Cols*cols), sparseOnes(a.NNZ())
		return func() { SpMM(dst, at, val, nil, x, cols, 1, 0) }
	})
}

// BenchmarkSDDMM is one dot product an entry.
func BenchmarkSDDMM(b *testing.B) {
	benchSparse(b, []int{16, 64, 256}, func(a *CSR, cols int) func() {
		x, y, dst := sparseOnes(a.Rows*cols), sparseOnes(a.Cols*cols), sparseOnes(a.NNZ())
		return func() { SDDMM(dst, a, x, y, cols) }
	})
}

// BenchmarkGather copies the row of every entry, GB/s counting reads only.
func BenchmarkGather(b *testing.B) {
	benchSparse(b, []int{16, 64}, func(a *CSR, cols int) func() {
		x, dst := sparseOnes(a.Cols*cols), sparseOnes(a.NNZ()*cols)
		return func() { Gather(dst, x, a.Idx, cols) }
	})
}

// BenchmarkRead is the yardstick of the others.
func BenchmarkRead(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			best := 0.0
			for b.Loop() {
				best = max(best, ReadBandwidth(threads, 512<<20, 200*time.Millisecond))
			}
			b.ReportMetric(best/1e9, "GB/s")
		})
	}
}
