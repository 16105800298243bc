package input_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// tolerance is some units of rounding of sums of about ten numbers.
var tolerance = map[bool]float64{false: 2e-5, true: 1e-12}[testkit.Double]

func drawn(rows, cols int, lo, hi mat.Real, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, lo, hi, seed)
	return m
}

// sparse is a 4×5 matrix with an empty row, and the same as a dense one.
func sparse(t testing.TB) (s *mat.Sparse, val, dense *mat.Dense) {
	s, err := mat.NewSparse(4, 5, []int64{0, 2, 2, 5, 6}, []int32{0, 4, 1, 2, 3, 0})
	if err != nil {
		t.Fatal(err)
	}
	val = drawn(6, 1, 0.5, 1.5, 1)
	return s, val, ad.Eval(ad.Propagate(s, ad.Const(val), ad.Const(mat.Eye(5))))
}

func build(t testing.TB, c input.MLP) input.Model {
	t.Helper()
	m, err := input.NewMLP(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func values(ps []*ad.Param) (vars []ad.Var, ms []*mat.Dense) {
	for _, p := range ps {
		vars, ms = append(vars, p.Var), append(ms, p.Value())
	}
	return vars, ms
}

func differ(a, b ad.Var) float64 { return float64(ad.Eval(a.Sub(b)).MaxAbs()) }

// variants are perceptrons with every part, with a smooth activation so that differences are exact.
var variants = map[string]input.MLP{
	"one layer":  {Sizes: []int{5, 3}},
	"no bias":    {Sizes: []int{5, 4, 3}, NoBias: true},
	"batch norm": {Sizes: []int{5, 4, 3}, Norm: input.BatchNorm},
	"layer norm": {Sizes: []int{5, 4, 3}, Norm: input.LayerNorm},
	"residual":   {Sizes: []int{5, 4, 4, 4, 3}, Residual: true},
	"lead":       {Sizes: []int{5, 4, 3}, Norm: input.BatchNorm, Lead: true},
	"everything": {Sizes: []int{5, 5, 5, 3}, Norm: input.LayerNorm, Residual: true, Lead: true, Dropout: 0.4,
		InputDropout: 0.3},
}

// TestMLPDerivatives: to all parameters and to the features, in training and in evaluation.
func TestMLPDerivatives(t *testing.T) {
	for name, c := range variants {
		c.Name, c.Seed, c.Activation = "pi", 7, ad.Var.Tanh
		m := build(t, c)
		for _, p := range m.Params() { // away from the zeros and ones that some start at
			mat.Uniform(p.Value(), 0.2, 0.9, 3)
		}
		for mode, ctx := range map[string]input.Context{
			"training": input.Training(&ad.Clock{Seed: 1, Epoch: 2}), "evaluation": input.Evaluation(),
		} {
			t.Run(name+" "+mode, func(t *testing.T) {
				x := drawn(6, 5, -1, 1, 2)
				testkit.Derivatives(t, func(v []ad.Var) ad.Var { return m.Forward(ctx, input.Of(v[0])) }, x)
				vars, ms := values(m.Params())
				loss := m.Forward(ctx, input.Dense(x)).Dot(ad.Const(drawn(6, 3, -1, 1, 5)))
				testkit.Gradient(t, loss, ad.Grad(loss, vars...), ms...)
			})
		}
	}
}

func TestSparseFeatures(t *testing.T) {
	s, val, dense := sparse(t)
	m := build(t, input.MLP{Name: "pi", Sizes: []int{5, 4, 2}, Seed: 1})
	for _, model := range []input.Model{m, input.NewLinear("l", 5, 3, 2)} {
		a := model.Forward(input.Evaluation(), input.Sparse(s, val))
		b := model.Forward(input.Evaluation(), input.Dense(dense))
		if d := differ(a, b); d > tolerance {
			t.Errorf("%T: sparse and dense differ by %v", model, d)
		}
	}
	ones := input.Sparse(s, nil).Var()
	if got := ad.Eval(ones.Sum()).Item(); got != 6 {
		t.Errorf("a pattern of 6 ones has the sum %v", got)
	}
	c := input.MLP{Name: "pi", Sizes: []int{5, 3}, InputDropout: 0.5, Seed: 1}
	for name, x := range map[string]input.Features{"values": input.Sparse(s, val), "ones": input.Sparse(s, nil)} {
		p := build(t, c)
		loss := p.Forward(input.Training(&ad.Clock{Seed: 4}), x).Square().Sum()
		vars, ms := values(p.Params())
		t.Run(name, func(t *testing.T) { testkit.Gradient(t, loss, ad.Grad(loss, vars...), ms...) })
	}
}

// TestDropout: entries are dropped in training only, differently in every epoch, the same in the same epoch.
func TestDropout(t *testing.T) {
	clock := &ad.Clock{Seed: 3}
	m := build(t, input.MLP{Name: "pi", Sizes: []int{40, 40, 40}, Dropout: 0.5, InputDropout: 0.2, Seed: 1})
	x := input.Dense(drawn(50, 40, 0, 1, 1))
	y := m.Forward(input.Training(clock), x)
	prog := ad.Compile(y)
	at := func(epoch uint64) []mat.Real {
		clock.Epoch = epoch
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		return prog.Value(y).Slice()
	}
	first, second, again := at(1), at(2), at(1)
	if slices.Equal(first, second) || !slices.Equal(first, again) {
		t.Error("dropout does not follow the epoch")
	}
	if differ(m.Forward(input.Evaluation(), x), m.Forward(input.Evaluation(), x)) != 0 {
		t.Error("evaluation is random")
	}
	if n := testing.AllocsPerRun(5, func() { _ = prog.Run() }); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
	s, _, _ := sparse(t)
	kept := build(t, input.MLP{Name: "w", Sizes: []int{5, 1}, InputDropout: 0.5})
	mat.Fill(kept.Params()[0].Value(), 1)
	for _, v := range ad.Eval(kept.Forward(input.Training(clock), input.Sparse(s, nil))).Slice() {
		if math.Mod(float64(v), 2) != 0 { // every one is dropped or doubled
			t.Errorf("a sum of dropped ones is %v", v)
		}
	}
}

// TestBatchNorm: in training columns have mean 0 and variance 1; running statistics approach those of the data;
// evaluation then agrees with training.
func TestBatchNorm(t *testing.T) {
	m := build(t, input.MLP{Name: "pi", Sizes: []int{3, 3, 3}, Norm: input.BatchNorm, Lead: true, Seed: 1,
		Activation: func(v ad.Var) ad.Var { return v }})
	x := drawn(200, 3, -2, 5, 1)
	ctx := input.Training(nil)
	y := m.Forward(ctx, input.Dense(x))
	outs := ctx.Updates.Outputs()
	if len(outs) != 4 || len(stateOf(m)) != 4 {
		t.Fatalf("%d updates of %d numbers, want 4 of 4", len(outs), len(stateOf(m)))
	}
	prog := ad.Compile(append(outs, y)...)
	for step := range 200 {
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		var values []*mat.Dense
		for _, v := range outs {
			values = append(values, prog.Value(v))
		}
		ctx.Updates.Apply(values)
		running(t, m, x, 1-math.Pow(0.9, float64(step+1)))
	}
	// the running variance is a sample's, n/(n−1) of the batch's
	if d := differ(m.Forward(input.Evaluation(), input.Dense(x)), ad.Const(prog.Value(y))); d > 0.02 || d == 0 {
		t.Errorf("training and evaluation differ by %v", d)
	}
}

// running wants the statistics of the first norm to have gone a share of the way from mean 0 and variance 1 to those of
// x, its variance being a sample's.
func running(t *testing.T, m input.Model, x *mat.Dense, share float64) {
	t.Helper()
	mean, vari := stateOf(m)[0].Value().Slice(), stateOf(m)[1].Value().Slice()
	n, d := x.Rows(), x.Cols()
	for j := range d {
		sum, squares := 0.0, 0.0
		for i := range n {
			u := float64(x.Slice()[i*d+j])
			sum, squares = sum+u, squares+u*u
		}
		of, v := sum/float64(n), (squares-sum*sum/float64(n))/float64(n-1)
		wantMean, wantVari := share*of, (1-share)+share*v
		// sums of 200 numbers of size 5 and their squares, rounded
		if math.Abs(float64(mean[j])-wantMean) > 1e-5 || math.Abs(float64(vari[j])-wantVari) > 1e-4 {
			t.Fatalf("column %d after a share of %v: running mean %v and variance %v, want %v and %v", j, share,
				mean[j], vari[j], wantMean, wantVari)
		}
	}
}

// TestFusedNorm: as one operation a layer norm is the same up to rounding.
func TestFusedNorm(t *testing.T) {
	n := input.NewNorm(input.LayerNorm, "norm", 5)
	mat.Uniform(n.Params()[0].Value(), -1, 1, 1)
	mat.Uniform(n.Params()[1].Value(), -1, 1, 2)
	x := mat.New(40, 5)
	mat.Uniform(x, -3, 3, 3)
	want := ad.Eval(n.Forward(input.Evaluation(), ad.Const(x))).Slice()
	n.Fused = true
	for i, y := range ad.Eval(n.Forward(input.Evaluation(), ad.Const(x))).Slice() {
		if math.Abs(float64(y-want[i])) > 1e-5 { // rows of five numbers of size 3, divided by their deviation
			t.Fatalf("number %d is %g, want %g", i, y, want[i])
		}
	}
}

func TestNormsNormalise(t *testing.T) {
	x := drawn(50, 8, -2, 5, 1)
	for kind, ones := range map[input.Norm]func(ad.Var) (mean, vari ad.Var){
		input.BatchNorm: func(y ad.Var) (ad.Var, ad.Var) { return y.SumRows(), y.Square().SumRows().Scale(1.0 / 50) },
		input.LayerNorm: func(y ad.Var) (ad.Var, ad.Var) { return y.SumCols(), y.Square().SumCols().Scale(1.0 / 8) },
	} {
		eye := input.MLP{Name: "pi", Sizes: []int{8, 8}, Norm: kind, Lead: true,
			Activation: func(v ad.Var) ad.Var { return v }}
		m := build(t, eye)
		ps := m.Params() // scale, shift, W, b
		mat.Copy(ps[2].Value(), mat.Eye(8))
		mean, vari := ones(m.Forward(input.Training(nil), input.Dense(x)))
		if d := float64(ad.Eval(mean).MaxAbs()); d > 1e-4 {
			t.Errorf("norm %d: mean off by %v", kind, d)
		}
		if d := float64(ad.Eval(vari.Shift(-1)).MaxAbs()); d > 1e-4 { // ε = 1e-5 over a variance of a few
			t.Errorf("norm %d: variance off by %v", kind, d)
		}
	}
}

func TestParams(t *testing.T) {
	m := build(t, input.MLP{Name: "pi", Sizes: []int{5, 4, 3}, Norm: input.LayerNorm, Seed: 1})
	var names []string
	for _, p := range m.Params() {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "pi.0.W pi.0.b pi.0.scale pi.0.shift pi.1.W pi.1.b" {
		t.Errorf("parameters %s", got)
	}
	same := build(t, input.MLP{Name: "pi", Sizes: []int{5, 4, 3}, Seed: 1})
	other := build(t, input.MLP{Name: "pi", Sizes: []int{5, 4, 3}, Seed: 2})
	w := m.Params()[0].Value()
	if !slices.Equal(w.Slice(), same.Params()[0].Value().Slice()) ||
		slices.Equal(w.Slice(), other.Params()[0].Value().Slice()) {
		t.Error("weights are not a function of seed and name")
	}
	big := input.NewLinear("big", 300, 300, 1).W.Value()
	if bound := math.Sqrt(6.0 / 600); float64(big.MaxAbs()) > bound || float64(big.MaxAbs()) < 0.99*bound {
		t.Errorf("largest weight %v, bound %v", big.MaxAbs(), bound)
	}
	if n := len(input.Linear{W: input.Glorot("m.W", 2, 2, 1)}.Params()); n != 1 {
		t.Errorf("a matrix has %d parameters", n)
	}
}

func TestEmbedding(t *testing.T) {
	e := input.NewEmbedding("e", 200, 50, 1)
	h := e.Forward(input.Evaluation(), input.None(200))
	norm := float64(ad.Eval(h.Square().Sum()).Item()) / 200
	if math.Abs(norm-1) > 0.1 {
		t.Errorf("mean squared norm %v, want about 1", norm)
	}
	g := ad.Eval(ad.Grad(h.Sum(), e.Params()[0].Var)[0])
	if !slices.Equal(g.Slice(), slices.Repeat([]mat.Real{1}, 200*50)) {
		t.Error("the derivative of a sum is not one")
	}
}

func stateOf(m input.Model) []*ad.Param { return m.(input.Stateful).State() }

func isAffine(m input.Model) bool {
	_, ok := m.(interface{ Affine() (input.Linear, bool) }).Affine()
	return ok
}

func TestAffine(t *testing.T) {
	for name, want := range map[string]bool{"one layer": true, "residual": false, "lead": false, "everything": false} {
		if got := isAffine(build(t, variants[name])); got != want {
			t.Errorf("%s: affine is %v", name, got)
		}
	}
	if isAffine(build(t, input.MLP{Sizes: []int{5, 3}, InputDropout: 0.1})) {
		t.Error("a layer after dropout is affine")
	}
}

func TestBadMLPs(t *testing.T) {
	for want, c := range map[string]input.MLP{
		"an input and an output": {Sizes: []int{3}},
		"none may be below 1":    {Sizes: []int{3, 0}},
		"dropout 1":              {Sizes: []int{3, 2}, Dropout: 1},
		"dropout NaN":            {Sizes: []int{3, 2}, InputDropout: math.NaN()},
		"unknown norm 9":         {Sizes: []int{3, 2}, Norm: 9},
	} {
		if _, err := input.NewMLP(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
}
