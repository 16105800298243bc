package pipeline_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestStep wants the states of the formula, see naive.
func TestStep(t *testing.T) {
	data := stored(t)
	parts := cut(t, data, 3)
	for _, kind := range [][]string{{"base"}, {"base", "energy.f.norm=none"}, {"robust"}, {"robust-logcosh"},
		{"robust", "energy.eta=nonnegative"}} {
		r, c := trained(t, data, kind[0], kind[1:]...)
		l, steps, ok := r.Local()
		if !ok {
			t.Fatal(kind, "is not separable")
		}
		j := begun(t, parts, c, r.Dir)
		if err := pipeline.Propagate(t.Context(), j, pipeline.Options{}); err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint(kind), states(t, j), naive(l, steps, r.Data.Graph))
	}
}

// naive are L steps from prox(π) by loops over edges in double precision:
//
//	h ← prox( h − r(λ(d s² h_v − s_v Σ_u s_u h_u) + wφ(h_v − π_v)) )
func naive(l descent.Local, steps int, g *graph.Graph) []mat.Real {
	n, cols, pi := l.Pi.Rows(), l.Pi.Cols(), l.Pi.Slice()
	h, own, scale := make([]float64, n*cols), make([]float64, n), make([]float64, n)
	for _, e := range g.Triples() {
		own[e.U]++
		own[e.V]++
	}
	for v, d := range own {
		if scale[v] = 1; l.Norm == graph.Symmetric {
			scale[v], own[v] = 1/math.Sqrt(max(1, d)), min(1, d)
		}
	}
	put := func(i int, x float64) {
		if h[i] = x; l.Kind.NonNeg {
			h[i] = max(0, x)
		}
	}
	for i, x := range pi {
		put(i, float64(x))
	}
	for range steps {
		heard := make([]float64, n*cols)
		for _, e := range g.Triples() {
			for u, v := range map[int]int{int(e.U): int(e.V), int(e.V): int(e.U)} {
				for j := range cols {
					heard[v*cols+j] += scale[u] * scale[v] * h[u*cols+j]
				}
			}
		}
		for i, x := range h {
			v, z := i/cols, x-float64(pi[i])
			switch t := float64(l.Kind.T); l.Kind.Phi {
			case mat.PhiHuber:
				z = max(-t, min(t, z))
			case mat.PhiLogCosh:
				z = math.Tanh(z)
			}
			put(i, x-l.Rate(2*l.Lambda*own[v])*(l.Lambda*(own[v]*x-heard[i])+l.Weight*z))
		}
	}
	out := make([]mat.Real, len(h))
	for i, x := range h {
		out[i] = mat.Real(x)
	}
	return out
}
