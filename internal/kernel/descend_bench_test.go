package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// workload is a shape of design section 6.
type workload struct {
	name              string
	rows, edges, cols int
	steps             int
}

var workloads = []workload{
	{"cora", 2708, 5278, 64, 16}, {"pubmed", 19717, 44324, 64, 16}, {"roman", 22662, 32927, 512, 4},
	{"tolokers", 11758, 519000, 512, 4}, {"arxiv", 169343, 1157799, 256, 8},
}

// graph is a symmetric pattern whose degrees are skewed as in citation graphs.
func (w workload) graph() *CSR {
	rng := rand.New(rand.NewPCG(10, 0))
	pairs := make([][2]int32, 0, 2*w.edges)
	for range w.edges {
		u := rng.IntN(w.rows)
		v := int(float64(w.rows) * math.Pow(rng.Float64(), 1.5))
		pairs = append(pairs, [2]int32{int32(u), int32(v)}, [2]int32{int32(v), int32(u)})
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int { return int(a[0]-b[0])*(1<<30) + int(a[1]-b[1]) })
	ptr, idx := make([]int64, w.rows+1), make([]int32, len(pairs))
	for e, p := range pairs {
		ptr[p[0]+1]++
		idx[e] = p[1]
	}
	for i := range w.rows {
		ptr[i+1] += ptr[i]
	}
	a, err := NewCSR(w.rows, w.rows, ptr, idx, nil)
	if err != nil {
		panic(err)
	}
	return a
}

func (w workload) descent(kind StepKind) *descentCase {
	rng := rand.New(rand.NewPCG(11, 0))
	a := w.graph()
	c := &descentCase{Descent: Descent{A: a, AT: a, Rows: w.rows, Cols: w.cols, Steps: w.steps, Kind: kind}}
	c.CoefA, c.CoefB, c.CoefC = Alloc(w.rows), Alloc(w.rows), Alloc(w.rows)
	for i := range w.rows {
		deg := Real(a.Ptr[i+1] - a.Ptr[i])
		c.CoefA[i], c.CoefB[i], c.CoefC[i] = 1-deg/(deg+1), 1/(deg+1), -1/(deg+1)
	}
	c.p = randReals(rng, w.rows*w.cols, -1, 1)
	c.g = randReals(rng, w.rows*w.cols, -1, 1)
	c.h0 = c.p
	return c
}

func BenchmarkDescent(b *testing.B) {
	defer SetThreads(0)
	for _, w := range workloads {
		for _, k := range []struct {
			name string
			kind StepKind
		}{{"base", StepKind{}}, {"huber", StepKind{Phi: PhiHuber, T: 0.5}}, {"logcosh", StepKind{Phi: PhiLogCosh}}} {
			var c *descentCase
			var dst, tape, dp []Real
			for _, threads := range []int{1, 2} {
				for _, pass := range []string{"run", "adjoint"} {
					b.Run(fmt.Sprintf("%s/%s/%s/threads=%d", w.name, k.name, pass, threads), func(b *testing.B) {
						if c == nil {
							c = w.descent(k.kind)
							dst, tape = c.run()
							dp = Alloc(len(dst))
						}
						SetThreads(threads)
						b.ReportAllocs()
						for b.Loop() {
							if pass == "run" {
								c.Run(dst, tape, c.h0, c.p)
							} else {
								c.Adjoint(nil, dp, c.g, tape)
							}
						}
						flops := 2 * float64(c.A.NNZ()) * float64(w.cols*w.steps)
						b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
						b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
					})
				}
			}
		}
	}
}
