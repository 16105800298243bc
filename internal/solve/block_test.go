package solve_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// jacobi is a descent with the given normalisation and kind, and Jacobi's step.
func jacobi(norm graph.Norm, kind mat.StepKind) descent.Local {
	return descent.Local{Lambda: 0.7, Weight: 1.5, Norm: norm, Kind: kind,
		Rate: func(q float64) float64 { return 0.9 / (1.5 + q/2) }}
}

// near is a graph of six nodes, whose last has no neighbour.
var near = [][]int32{{1, 2, 3}, {0, 2}, {0, 1, 4}, {0}, {2}, {}}

// values are numbers between −2 and 2.
func values(n int, seed uint64) []mat.Real {
	x := make([]mat.Real, n)
	for i := range x {
		x[i] = mat.Real(mat.Mix(seed, uint64(i))>>40)/(1<<22) - 2
	}
	return x
}

// naive is a step of node v as its formula says, in double precision.
func naive(l descent.Local, v, j, cols int, x, p []mat.Real) float64 {
	scale := func(u int) float64 {
		if l.Norm == graph.None {
			return 1
		}
		return 1 / math.Sqrt(max(1, float64(len(near[u]))))
	}
	h, d := float64(x[v*cols+j]), float64(len(near[v]))
	k, heard := l.Lambda*d*scale(v)*scale(v), 0.0
	for _, u := range near[v] {
		heard += l.Lambda * scale(v) * scale(int(u)) * float64(x[int(u)*cols+j])
	}
	r := h - float64(p[v*cols+j])
	switch l.Kind.Phi {
	case mat.PhiHuber:
		r = max(-float64(l.Kind.T), min(float64(l.Kind.T), r))
	case mat.PhiLogCosh:
		r = math.Tanh(r)
	}
	z := h - l.Rate(2*k)*(k*h-heard+l.Weight*r)
	if l.Kind.NonNeg {
		return max(0, z)
	}
	return z
}

// TestStep compares every kind of step, on two blocks of one graph, with the formula. The first block stands on rows of
// all nodes; the second on its own rows and those of its neighbours alone, under other numbers.
func TestStep(t *testing.T) {
	const cols = 5
	x, p := values(6*cols, 1), values(6*cols, 2)
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		for _, kind := range []mat.StepKind{{}, {Phi: mat.PhiHuber, T: 0.5}, {Phi: mat.PhiLogCosh}, {NonNeg: true}} {
			l := jacobi(norm, kind)
			s, err := solve.NewStepper(l)
			if err != nil {
				t.Fatal(err)
			}
			var scale []mat.Real
			for _, u := range near {
				scale = append(scale, mat.Real(s.Scale(float64(len(u)))))
			}
			dst := make([]mat.Real, 6*cols)
			whole := solve.Block{Ptr: []int64{0, 3, 5, 8}, Idx: []int32{1, 2, 3, 0, 2, 0, 1, 4}}
			err1 := s.Step(dst[:3*cols], x, p[:3*cols], scale, cols, whole)
			// nodes 3, 4 and 5 are rows 0, 1 and 2; their neighbours 0 and 2 are rows 3 and 4
			halo := append(append(append([]mat.Real{}, x[3*cols:]...), x[:cols]...), x[2*cols:3*cols]...)
			halves := []mat.Real{scale[3], scale[4], scale[5], scale[0], scale[2]}
			apart := solve.Block{Ptr: []int64{0, 1, 2, 2}, Idx: []int32{3, 4}}
			err2 := s.Step(dst[3*cols:], halo, p[3*cols:], halves, cols, apart)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for i, got := range dst {
				if want := naive(l, i/cols, i%cols, cols, x, p); math.Abs(float64(got)-want) > 1e-5 { // rounding
					t.Fatalf("%v %+v: node %d, column %d is %v, want %v", norm, kind, i/cols, i%cols, got, want)
				}
			}
		}
	}
}

// TestMistakes wants errors for a neighbour that is not there, and a step size that looks at other rows.
func TestMistakes(t *testing.T) {
	s, err := solve.NewStepper(jacobi(graph.None, mat.StepKind{}))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]mat.Real, 2)
	if err := s.Step(x[:1], x, x[:1], nil, 1, solve.Block{Ptr: []int64{0, 1}, Idx: []int32{2}}); err == nil {
		t.Error("a neighbour that is no row")
	}
	if _, err := solve.NewStepper(descent.Local{}); err == nil {
		t.Error("a descent without a rate")
	}
}
