package main

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// projected is H = XW at the minimum of the energy of a graph-regularised linear model, where any number of steps on W
// ends:
//
//	Xᵀ(I + λL)X W = XᵀȲ
//
// by conjugate gradients on W in double precision. H is unique even where W is not.
func projected(s solver) *mat.Dense {
	const iterations = 20000
	lambda, norm := s.l.F[0].(energy.SmoothingEdges).Smoothing()
	cols := s.l.Pi.Cols()
	x, m := s.task.Data.Features[0], newLaplacian(s.l.On.Graph, norm, float64(ad.Eval(lambda).Item()), cols)
	h, z := make([]float64, x.Rows*cols), make([]float64, x.Rows*cols)
	times := func(h, w []float64) { // H = XW
		clear(h)
		eachEntry(x, func(v, k int, value float64) { axpy(h[v*cols:][:cols], w[k*cols:][:cols], value) })
	}
	back := func(w, h []float64) { // W = XᵀH
		clear(w)
		eachEntry(x, func(v, k int, value float64) { axpy(w[k*cols:][:cols], h[v*cols:][:cols], value) })
	}
	mul := func(y, w []float64) { times(h, w); m.mul(z, h); back(y, z) }
	b := make([]float64, x.Cols*cols)
	back(b, onHost(ad.Eval(s.l.Pi))) // label propagation begins at Ȳ
	times(h, inverse(mul, b, iterations))
	out := make([]mat.Real, len(h))
	for i, value := range h {
		out[i] = mat.Real(value)
	}
	return mat.FromSlice(x.Rows, cols, out)
}

// eachEntry shows the entries of a matrix that are stored.
func eachEntry(x dataset.Matrix, see func(row, col int, value float64)) {
	for v := range x.Rows {
		if !x.IsSparse() {
			for k, value := range x.Values[v*x.Cols:][:x.Cols] {
				see(v, k, float64(value))
			}
			continue
		}
		for i := x.Ptr[v]; i < x.Ptr[v+1]; i++ {
			value := 1.0
			if x.Values != nil {
				value = float64(x.Values[i])
			}
			see(v, int(x.Idx[i]), value)
		}
	}
}

// axpy is y ← y + a x.
func axpy(y, x []float64, a float64) {
	for i, v := range x {
		y[i] += a * v
	}
}
