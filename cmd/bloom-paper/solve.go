package main

import (
	"math"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// laplacian is I + λL of a graph in double precision, with L = D − A or I − S. The figures hold what the engine
// computes in single precision against it, so it shares no code with the engine but the recurrence of solve.
type laplacian struct {
	a      graph.Pattern
	weight []mat.Real // of the entries of a
	degree []float64  // row sums of a, or 1 if they are normalised; 0 for nodes without edges
	lambda float64
	cols   int
}

// newLaplacian takes the graph without its self loops, which a Laplacian does not see.
func newLaplacian(g *graph.Graph, norm graph.Norm, lambda float64, cols int) *laplacian {
	m := &laplacian{lambda: lambda, cols: cols, degree: make([]float64, g.NumNodes())}
	m.a, m.weight = g.Normalize(norm, graph.DropLoops)
	for v := range m.a.Rows {
		for i := m.a.Ptr[v]; i < m.a.Ptr[v+1]; i++ {
			m.degree[v] += float64(m.weight[i])
		}
		if norm == graph.Symmetric && m.a.Ptr[v+1] > m.a.Ptr[v] {
			m.degree[v] = 1
		}
	}
	return m
}

// mul is y = x + λLx, n×cols.
func (m *laplacian) mul(y, x []float64) {
	for v := range m.degree {
		row := y[v*m.cols : (v+1)*m.cols]
		for j, h := range x[v*m.cols : (v+1)*m.cols] {
			row[j] = (1 + m.lambda*m.degree[v]) * h
		}
		for i := m.a.Ptr[v]; i < m.a.Ptr[v+1]; i++ {
			u, w := int(m.a.Idx[i]), m.lambda*float64(m.weight[i])
			for j := range row {
				row[j] -= w * x[u*m.cols+j]
			}
		}
	}
}

// solve returns (I + λL)⁻¹ p.
func (m *laplacian) solve(p []float64) []float64 { return inverse(m.mul, p, 10*len(m.degree)) }

// inverse returns A⁻¹ b for a symmetric positive A by conjugate gradients, until the residual is at the limit of
// double precision or the limit on steps was reached.
func inverse(mul func(y, x []float64), b []float64, steps int) []float64 {
	x := make([]float64, len(b))
	times := func(y, x []float64) error { mul(y, x); return nil }
	_, _ = solve.NewFloats(len(b), times).Solve(x, b, 1e-14, steps) // times does not fail
	return x
}

// energy returns ½‖h − p‖² + λ/2 tr hᵀLh = ½⟨h, (I+λL)h⟩ − ⟨h, p⟩ + ½⟨p, p⟩.
func (m *laplacian) energy(h, p []float64) float64 {
	y := make([]float64, len(h))
	m.mul(y, h)
	return dot(h, y)/2 - dot(h, p) + dot(p, p)/2
}

// gap returns ℓ(h) − ℓ(h*) = ½⟨h − h*, (I+λL)(h − h*)⟩, which loses no digits to the subtraction of two energies.
func (m *laplacian) gap(h, min []float64) float64 {
	e, y := make([]float64, len(h)), make([]float64, len(h))
	for i := range e {
		e[i] = h[i] - min[i]
	}
	m.mul(y, e)
	return dot(e, y) / 2
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum = math.FMA(a[i], b[i], sum)
	}
	return sum
}
