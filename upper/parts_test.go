package upper_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

func TestAnnounced(t *testing.T) {
	testkit.Announced(t, upper.Criteria, nil, "Of")
}

// TestCriteria is the suite of criteria: every one of the table passes it.
func TestCriteria(t *testing.T) {
	for _, p := range upper.Criteria.Parts {
		t.Run(p.Name, func(t *testing.T) {
			t.Run("derivatives", func(t *testing.T) { derivatives(t, p.New) })
			t.Run("mean", func(t *testing.T) { isMean(t, p.New) })
			t.Run("order", func(t *testing.T) { order(t, p.New) })
			t.Run("extreme", func(t *testing.T) { extreme(t, p.New) })
		})
	}
}

// derivatives: against finite differences, with and without picked rows.
func derivatives(t *testing.T, c upper.Criterion) {
	classes := mat.MustIndex([]int32{3, 0, 1, 1, 2}, 4)
	for _, y := range []upper.Target{{Class: classes}, {Class: classes, Pick: mat.MustIndex([]int32{4, 0, 1}, 5)}} {
		testkit.Derivatives(t, func(v []ad.Var) ad.Var { return c.Of(v[0], y) }, drawn(5, 4, -2, 2, 7))
	}
}

// isMean: the criterion of some rows is the mean of those of each, and 0 of none.
func isMean(t *testing.T, c upper.Criterion) {
	z, classes := ad.Input(drawn(4, 3, -2, 2, 8)), mat.MustIndex([]int32{2, 0, 1, 1}, 3)
	of := func(pick ...int32) float64 {
		return item(c.Of(z, upper.Target{Class: classes, Pick: mat.MustIndex(pick, 4)}))
	}
	wantNumber(t, "of two rows", of(3, 1), (of(1)+of(3))/2)
	wantNumber(t, "of no row", of(), 0)
	wantNumber(t, "of all rows", item(c.Of(z, upper.Target{Class: classes})), of(0, 1, 2, 3))
}

// order: the right class costs less than a wrong one, and a step down the derivative costs less than none.
func order(t *testing.T, c upper.Criterion) {
	of := func(class int32, z *mat.Dense) float64 {
		return item(c.Of(ad.Input(z), upper.Target{Class: mat.MustIndex([]int32{class}, 3)}))
	}
	z := mat.FromSlice(1, 3, []mat.Real{1.5, -1, 0.5})
	if right, wrong := of(0, z), of(1, z); !(right < wrong) {
		t.Errorf("%v for the right class, %v for a wrong one", right, wrong)
	}
	v := ad.Input(z)
	g := ad.Grad(c.Of(v, upper.Target{Class: mat.MustIndex([]int32{1}, 3)}), v)[0]
	if before, after := of(1, z), of(1, ad.Eval(v.Sub(g.Scale(0.1)))); !(after < before) {
		t.Errorf("%v before a step, %v after", before, after)
	}
}

// extreme: values and derivatives are finite wherever logits are.
func extreme(t *testing.T, c upper.Criterion) {
	for _, size := range []mat.Real{0, 30, 500} {
		z := ad.Input(mat.FromSlice(2, 2, []mat.Real{size, -size, size, -size}))
		y := c.Of(z, upper.Target{Class: mat.MustIndex([]int32{0, 1}, 2)})
		for _, v := range []ad.Var{y, ad.Grad(y, z)[0]} {
			if err := ad.Eval(v).CheckFinite(); err != nil {
				t.Errorf("logits ±%v: %v", size, err)
			}
		}
	}
}

// TestWeights: the criterion by weights is Σ w_v ℓ_v / Σ w_v of every criterion, with its derivatives.
func TestWeights(t *testing.T) {
	for _, p := range upper.Criteria.Parts {
		z, classes := drawn(4, 3, -2, 2, 8), mat.MustIndex([]int32{2, 0, 1, 1}, 3)
		y := upper.Target{Class: classes, Pick: mat.MustIndex([]int32{3, 1, 0}, 4),
			Weight: mat.FromSlice(4, 1, []mat.Real{2, 5, 1, 0.5})}
		one := func(v int32) float64 {
			return item(p.New.Of(ad.Input(z), upper.Target{Class: classes, Pick: mat.MustIndex([]int32{v}, 4)}))
		}
		wantNumber(t, p.Name, item(p.New.Of(ad.Input(z), y)), (2*one(0)+5*one(1)+0.5*one(3))/7.5)
		testkit.Derivatives(t, func(v []ad.Var) ad.Var { return p.New.Of(v[0], y) }, z)
	}
}
