//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// powerLaw is a symmetric pattern of about 2m entries, whose ends on one side fall with (rank + 10)^−0.6.
func powerLaw(b *testing.B, n, m int) *mat.Sparse {
	rng := rand.New(rand.NewPCG(3, 4))
	sums, total := make([]float64, n), 0.0
	for i := range sums {
		total += math.Pow(float64(i+10), -0.6)
		sums[i] = total
	}
	list := make([][]int32, n)
	for range m {
		u, v := int32(sort.SearchFloat64s(sums, rng.Float64()*total)), int32(rng.IntN(n))
		if u != v {
			list[u], list[v] = append(list[u], v), append(list[v], u)
		}
	}
	ptr, idx := make([]int64, 1, n+1), make([]int32, 0, 2*m)
	for _, row := range list {
		slices.Sort(row)
		idx = append(idx, slices.Compact(row)...)
		ptr = append(ptr, int64(len(idx)))
	}
	s, err := mat.NewSparse(n, n, ptr, idx)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkDescend is 8 steps and their adjoint, at the sizes of the performance workloads.
func BenchmarkDescend(b *testing.B) {
	d := gpu(b)
	mat.Use(d)
	defer mat.Use(mat.CPU)
	for _, s := range []struct {
		n, m int
		cols []int
	}{
		{2708, 5278, []int{7, 64}}, {19717, 44324, []int{3, 64}}, {22662, 32927, []int{18, 512}},
		{11758, 519000, []int{2, 512}}, {169343, 1157799, []int{40, 256}},
	} {
		pattern := powerLaw(b, s.n, s.m)
		for _, cols := range s.cols {
			b.Run(fmt.Sprintf("%d×%d", s.n, cols), func(b *testing.B) { benchmarkDescend(b, d, pattern, cols) })
		}
	}
}

func benchmarkDescend(b *testing.B, d *device, s *mat.Sparse, cols int) {
	n := s.Shape().Rows
	column := func(v mat.Real) *mat.Dense { x := mat.New(n, 1); mat.Fill(x, v); return x }
	k := mat.Descent{S: s, Steps: 8, Kind: mat.StepKind{Phi: mat.PhiHuber, T: 1}, A: column(0.5), B: column(0.02),
		C: column(-0.5)}
	h, p, dp := mat.New(n, cols), mat.New(n, cols), mat.New(n, cols)
	tape := mat.New(k.TapeShape(h.Shape()).Rows, 1)
	mat.Normal(p, 0, 1, 5)
	for _, x := range []struct {
		name string
		run  func()
	}{
		{"forward", func() { mat.Descend(h, tape, p, p, k) }},
		{"adjoint", func() { mat.DescendVJP(nil, dp, p, tape, k) }},
	} {
		b.Run(x.name, func(b *testing.B) {
			x.run()
			d.Sync()
			replay := d.Record(x.run)
			replay()
			d.Sync()
			b.ResetTimer()
			for range b.N {
				replay()
			}
			d.Sync()
			seconds := b.Elapsed().Seconds() / float64(b.N) / float64(k.Steps)
			b.ReportMetric(seconds*1e6, "µs/step")
			b.ReportMetric(4*float64(s.NNZ())*float64(cols)/seconds/1e12, "TB/s")
		})
	}
}
