package kg

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// scores are p×k numbers in ±2.
func scores(p, k int, seed uint64) *mat.Dense {
	m := mat.New(p, k)
	mat.Uniform(m, -2, 2, seed)
	return m
}

// wantLoss allows some units of rounding of sums of about ten numbers.
func wantLoss(t *testing.T, what string, got ad.Var, want float64) {
	t.Helper()
	tolerance := map[bool]float64{false: 1e-5, true: 1e-12}[testkit.Double]
	if x := float64(ad.Eval(got).Item()); !(math.Abs(x-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, x, want)
	}
}

func TestRankingDerivatives(t *testing.T) {
	for name, r := range map[string]Ranking{"softplus": Softplus{}, "softmax": Softmax{},
		"self-adversary": SelfAdversarial{}} { // T = 0: with others, p is a constant to derivatives, not to differences
		t.Run(name, func(t *testing.T) {
			h := mat.New(5, 3)
			mat.Uniform(h, -0.9, 0.9, 6)
			testkit.Derivatives(t, func(v []ad.Var) ad.Var { return r.Of(v[0].Columns(0, 1), v[0].Columns(1, 3)) }, h)
		})
	}
}

// TestExtremeScores: no ranking overflows.
func TestExtremeScores(t *testing.T) {
	pos, neg := ad.Input(mat.Scalar(-500)), ad.Input(mat.FromSlice(1, 2, []mat.Real{500, 400}))
	for name, c := range map[string]struct {
		r    Ranking
		want float64
	}{
		"softplus": {Softplus{}, 1400.0 / 3},
		"softmax":  {Softmax{}, 1000}, "self-adversarial": {SelfAdversarial{T: 1}, 500},
	} {
		wantLoss(t, name, c.r.Of(pos, neg), c.want)
	}
}

// TestRankings: with one false triple, softmax is softplus of the difference; with T = 0 the self-adversarial
// loss is half the sum of two means.
func TestRankings(t *testing.T) {
	item := func(v ad.Var) float64 { return float64(ad.Eval(v).Item()) }
	pos, neg := ad.Input(scores(4, 1, 1)), ad.Input(scores(4, 1, 2))
	wantLoss(t, "softmax", Softmax{}.Of(pos, neg), item(neg.Sub(pos).Softplus().Mean()))
	three := ad.Input(scores(4, 3, 3))
	half := pos.Neg().Softplus().Mean().Add(three.Softplus().Mean()).Scale(0.5)
	wantLoss(t, "self-adversarial", SelfAdversarial{}.Of(pos, three), item(half))
}

// TestEach: a ranking is the mean of what it is for each true triple.
func TestEach(t *testing.T) {
	pos, neg := ad.Input(scores(4, 1, 1)), ad.Input(scores(4, 3, 2))
	for name, r := range map[string]Additive{"softplus": Softplus{}, "softmax": Softmax{},
		"self-adversarial": SelfAdversarial{T: 2}} {
		each := r.Each(pos, neg)
		if each.Rows() != 4 || each.Cols() != 1 {
			t.Fatalf("%s: shape %v", name, each.Shape())
		}
		wantLoss(t, name, each.Mean(), float64(ad.Eval(r.Of(pos, neg)).Item()))
	}
}

// TestSelfAdversarialWeights: the derivative to a false score is p ρ(s)/2 per true triple: p is not differentiated.
func TestSelfAdversarialWeights(t *testing.T) {
	neg := ad.Input(mat.FromSlice(1, 2, []mat.Real{1, -0.5}))
	got := ad.Grad(SelfAdversarial{T: 2}.Of(ad.Input(mat.Scalar(0)), neg), neg)[0]
	a, b := math.Exp(2), math.Exp(-1)
	wantLoss(t, "first", got.Columns(0, 1), a/(a+b)/(1+math.Exp(-1))/2)
	wantLoss(t, "second", got.Columns(1, 2), b/(a+b)/(1+math.Exp(0.5))/2)
}
