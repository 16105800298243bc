package testkit

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Func is the expression under test as a function of its inputs.
type Func func(xs []ad.Var) ad.Var

// Derivatives fails t when a first or second derivative of f at xs disagrees with central
// differences. xs must be away from kinks by more than Step.
func Derivatives(t testing.TB, f Func, xs ...*mat.Dense) {
	t.Helper()
	vars := make([]ad.Var, len(xs))
	for i, x := range xs {
		vars[i] = ad.Input(x)
	}
	y := f(vars)
	loss := y.Dot(ad.Const(random(y.Shape(), 1)))
	grads := ad.Grad(loss, vars...)
	gradient(t, "first", loss, grads, xs)

	slope := ad.Number(0)
	for i, g := range grads {
		slope = slope.Add(g.Dot(ad.Const(random(g.Shape(), uint64(i+2)))))
	}
	gradient(t, "second", slope, ad.Grad(slope, vars...), xs)
}

// Gradient fails t when grads, the claimed derivatives of the 1×1 expression y to the matrices xs,
// disagree with central differences.
func Gradient(t testing.TB, y ad.Var, grads []ad.Var, xs ...*mat.Dense) {
	t.Helper()
	gradient(t, "first", y, grads, xs)
}

func gradient(t testing.TB, order string, y ad.Var, grads []ad.Var, xs []*mat.Dense) {
	t.Helper()
	prog := ad.Compile(append([]ad.Var{y}, grads...)...)
	run(t, prog)
	for i, x := range xs {
		got := prog.Value(grads[i]).Slice()
		point := x.Slice()
		want := make([]float64, len(point))
		for j := range point {
			want[j] = difference(t, prog, y, x, point, j)
		}
		x.Write(point)
		compare(t, order, i, got, want)
		run(t, prog)
	}
}

func run(t testing.TB, prog *ad.Program) {
	t.Helper()
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
}

// difference is the central difference of y along entry j of x.
func difference(t testing.TB, prog *ad.Program, y ad.Var, x *mat.Dense, point []mat.Real, j int) float64 {
	t.Helper()
	at := func(h mat.Real) float64 {
		moved := append([]mat.Real(nil), point...)
		moved[j] += h
		x.Write(moved)
		run(t, prog)
		return float64(prog.Value(y).Item())
	}
	return (at(Step) - at(-Step)) / (2 * Step)
}

// compare allows an error relative to the largest entry: the truncation error of a central
// difference is about Step² and its rounding error about ε/Step, of the size of the function.
func compare(t testing.TB, order string, input int, got []mat.Real, want []float64) {
	t.Helper()
	scale := 1.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for j, w := range want {
		if e := math.Abs(float64(got[j])-w) / scale; !(e <= Tolerance) {
			t.Errorf("%s derivative to input %d, entry %d: %v, finite difference %v (error %.1e)", order, input, j,
				got[j], w, e)
			return
		}
	}
}

func random(s mat.Shape, seed uint64) *mat.Dense {
	m := mat.New(s.Rows, s.Cols)
	mat.Uniform(m, 0.3, 1.7, seed)
	return m
}
