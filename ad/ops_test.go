package ad_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// uniform is a random rows×cols matrix in [lo, hi).
func uniform(rows, cols int, lo, hi mat.Real, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, lo, hi, seed)
	return m
}

// offKinks is a random matrix whose entries keep away from 0 and ±1, where functions have kinks.
func offKinks(rows, cols int, seed uint64) *mat.Dense {
	m := uniform(rows, cols, 0, 1, seed)
	x := m.Slice()
	for i := range x {
		base := [...]mat.Real{-1.9, -0.9, 0.1, 1.1}[i%4]
		x[i] = base + 0.8*x[i]
	}
	m.Write(x)
	return m
}

// pattern is a 4×5 pattern with an empty row, an empty column and a repeated entry.
func pattern(t testing.TB) *mat.Sparse {
	s, err := mat.NewSparse(4, 5, []int64{0, 3, 3, 5, 6}, []int32{0, 4, 4, 1, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// square is a 4×4 symmetric pattern.
func square(t testing.TB) *mat.Sparse {
	s, err := mat.NewSparse(4, 4, []int64{0, 2, 4, 7, 8}, []int32{1, 2, 0, 2, 0, 1, 3, 2})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEntrywiseDerivatives(t *testing.T) {
	positive := func(seed uint64) *mat.Dense { return uniform(3, 4, 0.4, 2, seed) }
	signed := func(seed uint64) *mat.Dense { return offKinks(3, 4, seed) }
	tests := map[string]struct {
		f func(ad.Var) ad.Var
		x *mat.Dense
	}{
		"exp":       {ad.Var.Exp, signed(1)},
		"log":       {ad.Var.Log, positive(2)},
		"tanh":      {ad.Var.Tanh, signed(3)},
		"sigmoid":   {ad.Var.Sigmoid, signed(4)},
		"softplus":  {ad.Var.Softplus, signed(5)},
		"relu":      {ad.Var.ReLU, signed(6)},
		"leakyrelu": {mapped("leaky_relu", 0.2), signed(7)},
		"abs":       {mapped("abs", 0), signed(8)},
		"square":    {ad.Var.Square, signed(9)},
		"sqrt":      {ad.Var.Sqrt, positive(10)},
		"recip":     {ad.Var.Recip, positive(11)},
		"sin":       {mapped("sin", 0), signed(12)},
		"cos":       {mapped("cos", 0), signed(13)},
		"huber":     {mapped("huber", 1), signed(14)},
		"logcosh":   {mapped("log_cosh", 0), signed(15)},
		"clamp":     {mapped("clamp", 1), signed(16)},
		"shift":     {func(v ad.Var) ad.Var { return v.Shift(2).Square() }, signed(17)},
		"softmax":   {ad.Var.Softmax, signed(18)},
		"logsoft":   {ad.Var.LogSoftmax, signed(19)},
		"columns":   {func(v ad.Var) ad.Var { return v.Columns(1, 3).Square() }, signed(20)},
		"transpose": {func(v ad.Var) ad.Var { return v.T().Square() }, signed(21)},
		"reshape":   {func(v ad.Var) ad.Var { return v.Square().Reshape(2, 6).SumCols().Square() }, signed(23)},
		"mean":      {func(v ad.Var) ad.Var { return v.Square().Mean() }, signed(22)},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return c.f(xs[0]) }, c.x)
		})
	}
}

// mapped is an entrywise function by its name.
func mapped(f mat.Func, t float64) func(ad.Var) ad.Var {
	return func(v ad.Var) ad.Var { return v.Map(f, t) }
}

// TestHigherDerivatives takes f″ as the function, so that orders three and four are checked.
func TestHigherDerivatives(t *testing.T) {
	for name, f := range map[string]func(ad.Var) ad.Var{
		"exp": ad.Var.Exp, "log": ad.Var.Log, "tanh": ad.Var.Tanh, "sigmoid": ad.Var.Sigmoid,
		"softplus": ad.Var.Softplus,
		"square":   ad.Var.Square, "sqrt": ad.Var.Sqrt, "recip": ad.Var.Recip,
		"sin": mapped("sin", 0), "cos": mapped("cos", 0),
		"logcosh": mapped("log_cosh", 0), "huber": mapped("huber", 1),
	} {
		t.Run(name, func(t *testing.T) {
			twice := func(xs []ad.Var) ad.Var {
				one := ad.Fill(xs[0].Shape(), 1)
				d := ad.VJP(f(xs[0]), one, xs[0])[0]
				return ad.VJP(d, one, xs[0])[0].Add(xs[0].Scale(0.5))
			}
			testkit.Derivatives(t, twice, uniform(2, 3, 0.6, 0.9, 30))
		})
	}
}

func TestBinaryDerivatives(t *testing.T) {
	type binary = func(a, b ad.Var) ad.Var
	ops := map[string]binary{
		"add": func(a, b ad.Var) ad.Var { return a.Add(b).Square() },
		"sub": func(a, b ad.Var) ad.Var { return a.Scale(3).Sub(b.Scale(0.5)).Square() },
		"mul": func(a, b ad.Var) ad.Var { return a.Mul(b.Scale(2)) },
		"div": func(a, b ad.Var) ad.Var { return a.Div(b) },
	}
	full := uniform(3, 4, 0.5, 1.5, 40)
	for name, f := range ops {
		for _, s := range []mat.Shape{{Rows: 3, Cols: 4}, {Rows: 1, Cols: 4}, {Rows: 3, Cols: 1}, {Rows: 1, Cols: 1}} {
			small := uniform(s.Rows, s.Cols, 0.6, 1.4, 41)
			t.Run(name+" "+s.String(), func(t *testing.T) {
				testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return f(xs[0], xs[1]) }, full, small)
				testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return f(xs[1], xs[0]) }, full, small)
			})
		}
		t.Run(name+" column by row", func(t *testing.T) {
			testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return f(xs[0], xs[1]) }, uniform(3, 1, 0.5, 1.5, 42),
				uniform(1, 4, 0.6, 1.4, 43))
		})
	}
	t.Run("max", func(t *testing.T) {
		testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return xs[0].Max(xs[1]).Add(xs[0].Min(xs[1]).Square()) },
			offKinks(3, 4, 44), uniform(3, 4, -0.05, 0.05, 45))
	})
	t.Run("concat", func(t *testing.T) {
		testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return ad.Concat(xs[0], xs[1], xs[0]).Square() }, full,
			uniform(3, 2, 0, 1, 46))
	})
}

func TestProductDerivatives(t *testing.T) {
	a, b := offKinks(3, 5, 50), offKinks(5, 4, 51)
	at, bt := offKinks(5, 3, 52), offKinks(4, 5, 53)
	products := map[string]struct {
		f    testkit.Func
		x, y *mat.Dense
	}{
		"NN":    {func(v []ad.Var) ad.Var { return v[0].MatMul(v[1]) }, a, b},
		"TN":    {func(v []ad.Var) ad.Var { return v[0].TMatMul(v[1].Scale(0.5)) }, at, b},
		"NT":    {func(v []ad.Var) ad.Var { return v[0].MatMulT(v[1]) }, a, bt},
		"TT":    {func(v []ad.Var) ad.Var { return v[0].T().MatMul(v[1].T()) }, at, bt},
		"chain": {func(v []ad.Var) ad.Var { return v[0].MatMul(v[1]).Tanh().MatMulT(v[1]) }, a, b},
		"rows":  {func(v []ad.Var) ad.Var { return v[0].RowDot(v[1]).Square() }, a, offKinks(3, 5, 54)},
		"sums": {func(v []ad.Var) ad.Var {
			return v[0].SumRows().Square().Sum().Add(v[1].SumCols().Square().Sum())
		}, a, b},
	}
	for name, c := range products {
		t.Run(name, func(t *testing.T) { testkit.Derivatives(t, c.f, c.x, c.y) })
	}
}

func TestSparseDerivatives(t *testing.T) {
	s, sym := pattern(t), square(t)
	idx := mat.MustIndex([]int32{3, 0, 0, 2, 3}, 4)
	tests := map[string]struct {
		f  testkit.Func
		xs []*mat.Dense
	}{
		"propagate": {func(v []ad.Var) ad.Var { return ad.Propagate(s, ad.Var{}, v[0]).Square() },
			[]*mat.Dense{offKinks(5, 3, 60)}},
		"transpose": {func(v []ad.Var) ad.Var { return ad.PropagateT(s, ad.Var{}, v[0].Scale(2)).Square() },
			[]*mat.Dense{offKinks(4, 3, 61)}},
		"symmetric": {func(v []ad.Var) ad.Var { return ad.Propagate(sym, ad.Var{}, v[0]).Square() },
			[]*mat.Dense{offKinks(4, 3, 62)}},
		"weighted": {func(v []ad.Var) ad.Var { return ad.Propagate(s, v[0], v[1]).Square() },
			[]*mat.Dense{offKinks(6, 1, 63), offKinks(5, 3, 64)}},
		"weightedT": {func(v []ad.Var) ad.Var { return ad.PropagateT(s, v[0], v[1]) },
			[]*mat.Dense{offKinks(6, 1, 65), offKinks(4, 3, 66)}},
		"sampled": {func(v []ad.Var) ad.Var { return ad.SampledDot(s, v[0], v[1]) },
			[]*mat.Dense{offKinks(4, 3, 67), offKinks(5, 3, 68)}},
		"gather":  {func(v []ad.Var) ad.Var { return v[0].Gather(idx).Square() }, []*mat.Dense{offKinks(4, 3, 69)}},
		"segment": {func(v []ad.Var) ad.Var { return v[0].SegmentSum(idx).Square() }, []*mat.Dense{offKinks(5, 3, 70)}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) { testkit.Derivatives(t, c.f, c.xs...) })
	}
}

func TestCrossEntropyDerivatives(t *testing.T) {
	labels, pick := mat.MustIndex([]int32{2, 0, 1, 1, 2}, 3), mat.MustIndex([]int32{4, 0, 1}, 5)
	for name, p := range map[string]*mat.Index{"all": nil, "picked": pick} {
		t.Run(name, func(t *testing.T) {
			testkit.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].CrossEntropy(labels, p) }, offKinks(5, 3, 80))
		})
	}
}

func TestDropoutIsLinearWithFixedMask(t *testing.T) {
	clock := &ad.Clock{Seed: 7, Epoch: 3}
	testkit.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].Dropout(0.5, clock, 1).Square() }, offKinks(4, 5, 90))
}

// kinds are the fused steps.
var kinds = map[string]mat.StepKind{
	"square":         {Phi: mat.PhiSquare},
	"huber":          {Phi: mat.PhiHuber, T: 1},
	"logcosh":        {Phi: mat.PhiLogCosh},
	"square nonneg":  {Phi: mat.PhiSquare, NonNeg: true},
	"huber nonneg":   {Phi: mat.PhiHuber, T: 1, NonNeg: true},
	"logcosh nonneg": {Phi: mat.PhiLogCosh, NonNeg: true},
}

func TestStepDerivatives(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			h, s, p := offKinks(4, 3, 100), offKinks(4, 3, 101), uniform(4, 3, -0.02, 0.02, 102)
			a, b, c := uniform(4, 1, 0.4, 0.6, 103), uniform(4, 1, 0.2, 0.3, 104), uniform(4, 1, -0.4, -0.3, 105)
			testkit.Derivatives(t, func(v []ad.Var) ad.Var {
				return ad.Step(v[0], v[1], v[2], ad.StepCoefs{A: v[3], B: v[4], C: v[5]}, kind)
			}, h, s, p, a, b, c)
		})
	}
}

// TestStepsOnSteps takes two steps with coefficients that depend on each other: inputs and cotangents
// that were computed from other inputs must not count twice.
func TestStepsOnSteps(t *testing.T) {
	kind := mat.StepKind{Phi: mat.PhiLogCosh}
	sym := square(t)
	testkit.Derivatives(t, func(v []ad.Var) ad.Var {
		c := ad.StepCoefs{A: v[2], B: v[2].Square(), C: v[2].Scale(-0.5)}
		h := ad.Step(v[0], ad.Propagate(sym, ad.Var{}, v[0]), v[1], c, kind)
		h = ad.Step(h, ad.Propagate(sym, ad.Var{}, h), v[1], c, kind)
		return ad.Descend(sym, ad.Var{}, h, h, c, 2, kind).Add(ad.Descend(sym, ad.Var{}, h, v[1], c, 2, kind)).Square()
	}, uniform(4, 2, -1, 1, 106), uniform(4, 2, -1, 1, 107), uniform(4, 1, 0.4, 0.6, 108))
}

func TestDescendDerivatives(t *testing.T) {
	sym, directed := square(t), directed4(t)
	for name, kind := range kinds {
		if kink := kind.NonNeg || kind.Phi == mat.PhiHuber; kink && !testkit.Double {
			continue // the long finite differences of float32 step over kinks inside the descent
		}
		h, p := offKinks(4, 3, 110), offKinks(4, 3, 111)
		a, b, c := uniform(4, 1, 0.4, 0.6, 112), uniform(4, 1, 0.2, 0.3, 113), uniform(4, 1, -0.4, -0.3, 114)
		t.Run(name, func(t *testing.T) {
			testkit.Derivatives(t, func(v []ad.Var) ad.Var {
				return ad.Descend(sym, ad.Var{}, v[0], v[1], ad.StepCoefs{A: v[2], B: v[3], C: v[4]}, 3, kind)
			}, h, p, a, b, c)
		})
		t.Run(name+" from p", func(t *testing.T) {
			coefs := ad.StepCoefs{A: ad.Const(a), B: ad.Const(b), C: ad.Const(c)}
			testkit.Derivatives(t, func(v []ad.Var) ad.Var {
				return ad.Descend(sym, ad.Var{}, v[0], v[0], coefs, 3, kind)
			}, p)
		})
		t.Run(name+" weighted", func(t *testing.T) {
			val := uniform(5, 1, 0.5, 1.5, 115)
			testkit.Derivatives(t, func(v []ad.Var) ad.Var {
				return ad.Descend(directed, v[5], v[0], v[1], ad.StepCoefs{A: v[2], B: v[3], C: v[4]}, 2, kind)
			}, h, p, a, b, c, val)
		})
	}
}

func directed4(t testing.TB) *mat.Sparse {
	s, err := mat.NewSparse(4, 4, []int64{0, 2, 2, 4, 5}, []int32{1, 3, 0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
