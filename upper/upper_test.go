package upper_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// tolerance is some units of rounding of sums of about ten numbers.
var tolerance = map[bool]float64{false: 1e-5, true: 1e-12}[testkit.Double]

func drawn(rows, cols int, lo, hi mat.Real, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, lo, hi, seed)
	return m
}

func perceptron(t testing.TB, c input.MLP) upper.Head {
	t.Helper()
	m, err := upper.NewMLP(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func item(v ad.Var) float64 { return float64(ad.Eval(v).Item()) }

func wantNumber(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// losses are all kinds, for h of shape 5×3.
func losses(t testing.TB) map[string]upper.Loss {
	labels, pick := mat.MustIndex([]int32{3, 0, 1, 1, 2}, 4), mat.MustIndex([]int32{4, 0, 1}, 5)
	linear := upper.NewLinear("head", 3, 4, 1)
	mlp := perceptron(t, input.MLP{Name: "head", Sizes: []int{3, 6, 4}, Activation: ad.Var.Tanh, Norm: input.BatchNorm,
		Lead: true, Dropout: 0.3, Seed: 2})
	return map[string]upper.Loss{
		"cross-entropy": upper.Supervised{linear, upper.CrossEntropy, upper.Target{Class: labels, Pick: pick}},
		"cross-entropy of h": upper.Supervised{upper.Identity, upper.CrossEntropy,
			upper.Target{Class: mat.MustIndex([]int32{2, 0, 1, 1, 2}, 3)}},
		"binary": upper.Supervised{mlp, upper.Binary,
			upper.Target{Value: drawn(5, 4, 0, 1, 4), Pick: pick}},
		"all labels": upper.Supervised{linear, upper.Binary, upper.Target{Value: drawn(5, 4, 0, 1, 4)}},
		"squared": upper.Supervised{mlp, upper.Squared,
			upper.Target{Value: drawn(5, 4, -1, 1, 5), Pick: pick}},
	}
}

func TestLossDerivatives(t *testing.T) {
	for name, l := range losses(t) {
		for mode, c := range map[string]input.Context{"": input.Evaluation(),
			" training": input.Training(&ad.Clock{Seed: 5})} {
			t.Run(name+mode, func(t *testing.T) {
				h := drawn(5, 3, -0.9, 0.9, 6)
				testkit.Derivatives(t, func(v []ad.Var) ad.Var { return l.Loss(c, v[0]) }, h)
				var vars []ad.Var
				var ms []*mat.Dense
				for _, p := range l.Params() {
					vars, ms = append(vars, p.Var), append(ms, p.Value())
				}
				y := l.Loss(c, ad.Const(h))
				testkit.Gradient(t, y, ad.Grad(y, vars...), ms...)
			})
		}
	}
}

// TestExtremeLogits: no loss overflows, and right answers cost nothing.
func TestExtremeLogits(t *testing.T) {
	z := ad.Input(mat.FromSlice(1, 2, []mat.Real{500, -500}))
	right, wrong := mat.FromSlice(1, 2, []mat.Real{1, 0}), mat.FromSlice(1, 2, []mat.Real{0, 1})
	wantNumber(t, "right", item(upper.Binary.Of(z, upper.Target{Value: right})), 0)
	wantNumber(t, "wrong", item(upper.Binary.Of(z, upper.Target{Value: wrong})), 1000)
}

// TestAffineHeads: an affine head is what it says, and commutes with a linear map of the rows.
func TestAffineHeads(t *testing.T) {
	matrix := perceptron(t, input.MLP{Name: "m", Sizes: []int{3, 2}, NoBias: true, Seed: 1})
	biased := upper.NewLinear("l", 3, 2, 2)
	mat.Uniform(biased.Params()[1].Value(), -1, 1, 3)
	one := perceptron(t, input.MLP{Name: "p", Sizes: []int{3, 2}, Seed: 4})
	h, rows := ad.Input(drawn(5, 3, -1, 1, 5)), ad.Const(drawn(5, 5, -1, 1, 6))
	for _, g := range []upper.Head{upper.Identity, matrix, biased, one} {
		w, b, ok := g.Affine()
		if !ok {
			t.Errorf("%T is not affine", g)
			continue
		}
		after, before := g.Predict(input.Evaluation(), rows.MatMul(h)), h
		if !w.IsZero() {
			before = before.MatMul(w)
		}
		if before = rows.MatMul(before); !b.IsZero() {
			before = before.Add(b)
		}
		if d := float64(ad.Eval(after.Sub(before)).MaxAbs()); d > tolerance {
			t.Errorf("%T: the two orders differ by %v", g, d)
		}
	}
	if _, _, ok := perceptron(t, input.MLP{Name: "p", Sizes: []int{3, 3, 2}}).Affine(); ok {
		t.Error("two layers are affine")
	}
	if _, _, ok := perceptron(t, input.MLP{Name: "p", Sizes: []int{3, 2}, Lead: true}).Affine(); ok {
		t.Error("a layer after an activation is affine")
	}
}

func TestState(t *testing.T) {
	m := perceptron(t, input.MLP{Name: "p", Sizes: []int{3, 3, 2}, Norm: input.BatchNorm})
	if n := len((upper.Supervised{Head: m}).State()); n != 2 {
		t.Errorf("%d running statistics, want 2", n)
	}
	if n := len((upper.Supervised{Head: upper.Identity}).State()); n != 0 {
		t.Errorf("%d running statistics, want none", n)
	}
}
