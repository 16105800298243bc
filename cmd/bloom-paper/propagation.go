package main

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// converged is the accuracy at the minimum itself, which steps on W come near only after very many.
const converged = "converged"

// solver is an algorithm on an energy of labels.
type solver struct {
	l    *energy.Lower
	a    descent.Algorithm
	task *node.Task
}

// propagation returns the solver of a job. All rows of the table are this one: steps on H for label propagation, steps
// on W for H = XW, and the same with X padded to n orthonormal columns.
func propagation(j job) (s solver, err error) {
	if s.task, err = node.Build(j.config, j.data, train.Trial{Seed: j.config.Train.Seed, Split: j.config.Data.Split},
		node.Options{}); err != nil {
		return s, err
	}
	s.l, s.a = lowerOf(s.task), s.task.Stack.Levels[0].A
	switch {
	case j.cell.Trace.Pad:
		s.a, err = j.padded(s)
	case energy.NameOf(s.a) == "Weights":
		var lip float64 // the curvature itself rather than a bound
		lip, err = curvature(s.l, s.task.On.X, j.config.Train.Seed)
		s.a = weights{s.task.On.X, 1 / lip}
	}
	return s, err
}

// measurePropagation descends from H = 0 and reads the accuracy after every step.
func measurePropagation(ctx context.Context, j job) (Outcome, error) {
	s, err := propagation(j)
	if err != nil {
		return Outcome{}, err
	}
	var steps, valid, tested []float64
	h0 := mat.New(s.l.Pi.Rows(), s.l.Pi.Cols())
	err = trace(ctx, s.a, s.l, h0, j.cell.Trace.Steps, func(step int, h *mat.Dense) error {
		steps = append(steps, float64(step))
		valid = append(valid, accuracy(h, s.task.Data, s.task.Split.Valid))
		tested = append(tested, accuracy(h, s.task.Data, s.task.Split.Test))
		return nil
	})
	if err != nil {
		return diverged(err)
	}
	last := len(steps) - 1
	at := last
	if j.cell.Trace.Stop == Validation {
		at = largest(valid)
	}
	o := Outcome{Valid: valid[at], Numbers: map[string]float64{test: tested[at]}}
	if _, ok := j.cell.number(converged); ok {
		o.Numbers[converged] = accuracy(projected(s), s.task.Data, s.task.Split.Test)
	}
	o.Curves = []Curve{{j.cell.Data, j.cell.Row, steps, tested},
		{j.cell.Data, j.cell.Row + ", validation", steps, valid}}
	return o, nil
}

// rounding is the share of the largest score below which a score counts as 0: no label reaches 59 test nodes of Cora
// and 310 of Citeseer, whose class would be a matter of rounding.
const rounding = 1e-5

// accuracy returns the percentage of the nodes in pick whose class has the largest score in h. Nodes without a score
// have the first class.
func accuracy(h *mat.Dense, d *dataset.Dataset, pick []int32) float64 {
	logits := make([]mat.Real, h.Len())
	h.Read(logits)
	least := rounding * h.MaxAbs()
	for i, v := range logits {
		if v < least && v > -least {
			logits[i] = 0
		}
	}
	m, _ := metric.ByName("accuracy")
	return 100 * m.Nodes(metric.Predictions{Logits: logits, Classes: h.Cols(), Labels: d.Labels.Class, Pick: pick})
}

// largest returns the index of the largest value, the first if several tie.
func largest(values []float64) int {
	at := 0
	for i, v := range values {
		if v > values[at] {
			at = i
		}
	}
	return at
}

// spare is the number of columns that are padded beyond n, because columns of features need not be independent: the
// columns of Cora have rank 1431 of 1433, the columns of Citeseer 3302 of 3327.
const spare = 64

// padded is descent on W for H = XW with an orthonormal basis of everything, n×n, instead of X: the over-parameterised
// model. γ is the safe step size of plain steps on H.
func (j job) padded(s solver) (descent.Algorithm, error) {
	if err := descent.Check(descent.Safe, s.l); err != nil {
		return nil, err
	}
	gamma := ad.Eval(descent.Safe.Gamma(s.l, ad.Number(1), descent.State{})).Item()
	j.bases.Lock()
	defer j.bases.Unlock()
	at := place{j.cell.Data, j.config.Train.Seed, mat.Default()}
	u := j.bases.of[at]
	if u == nil { // the range of X, padded by columns of noise until that is everything
		x := ad.Eval(s.task.On.X.Var())
		wide := mat.New(x.Rows(), max(x.Rows(), x.Cols())+spare)
		mat.Normal(wide, 0, 1, j.config.Train.Seed)
		mat.CopyCols(wide, x, 0, 0, x.Cols())
		var err error
		if u, err = energy.Basis(wide); err != nil {
			return nil, err
		}
		if u.Cols() != x.Rows() {
			return nil, fmt.Errorf("padded features have rank %d, want %d", u.Cols(), x.Rows())
		}
		j.bases.of[at] = u
	}
	return weights{input.Dense(u), float64(gamma)}, nil
}

// bases keeps the bases of padded features for all jobs of a run, as making one takes a minute.
type bases struct {
	sync.Mutex
	of map[place]*mat.Dense
}

// place is the key of a basis, and where it is stored.
type place struct {
	data string
	seed uint64
	on   mat.Device
}

// weights is descent.Weights with a given γ for features that stay sparse: H ← H − γ X Xᵀ∇.
type weights struct {
	x     input.Features
	gamma float64
}

var _ descent.Algorithm = weights{}

// Start begins at W = 0.
func (a weights) Start(h0 ad.Var) descent.State { return descent.State{H: ad.Fill(h0.Shape(), 0)} }

// Step is one layer.
func (a weights) Step(l *energy.Lower, s descent.State) descent.State {
	w := transposed(a.x, l.Grad(s.H)).Scale(a.gamma)
	return descent.State{H: s.H.Sub(a.x.MatMul(w)), Layer: s.Layer + 1}
}

// transposed returns Xᵀg: the adjoint of the product with X.
func transposed(x input.Features, g ad.Var) ad.Var {
	w := ad.Input(mat.New(x.Shape().Cols, g.Cols()))
	return ad.VJP(x.MatMul(w), g, w)[0]
}

// curvature returns the largest eigenvalue of Xᵀ∇²X, the curvature of a quadratic energy l in W where H = XW, by power
// iteration:
//
//	W ← Xᵀ∇²XW / ‖W‖,   ∇²H = ∇(H) − ∇(0)
//
// Such a number is a little too small; the bound that descent.Weights certifies for any energy is far above it.
func curvature(l *energy.Lower, x input.Features, seed uint64) (float64, error) {
	const iterations = 100
	w := mat.New(x.Shape().Cols, l.Pi.Cols())
	mat.Normal(w, 0, 1, seed)
	in := ad.Input(w)
	size := in.Dot(in).Sqrt()
	h := x.MatMul(in.Mul(size.Recip()))
	next := transposed(x, l.Grad(h).Sub(l.Grad(ad.Fill(h.Shape(), 0))))
	prog := ad.Compile(next, size)
	for range iterations {
		if err := prog.Run(); err != nil {
			return 0, err
		}
		mat.Copy(w, prog.Value(next))
	}
	return float64(prog.Value(size).Item()), nil
}

// projected returns H = XW at the minimum of the energy of a graph-regularised linear model, where any number of steps
// on W ends:
//
//	Xᵀ(I + λL)X W = XᵀȲ
//
// by conjugate gradients on W in double precision. H is unique even if W is not.
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
