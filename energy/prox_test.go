package energy_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// constraints are all kinds of η, on 4×3 matrices.
func constraints(t testing.TB) map[string]energy.Constraint {
	clamp, err := energy.Clamp([]int32{3, 1}, 4, mat.FromSlice(2, 3, []mat.Real{1, 0, 0, 0, 1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	within, err := energy.Range(drawn(4, 2, -1, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]energy.Constraint{
		"h ≥ 0": energy.NonNegative, "box": energy.Box(-0.25, 0.5),
		"half line": energy.Box(-1, math.Inf(1)),
		"ball":      energy.Ball(0.8), "sphere": energy.UnitSphere, "l1": energy.L1(0.3), "clamp": clamp,
		"range": within,
	}
}

// offProxKinks is a 4×3 matrix with rows inside and outside the ball and no entry near 0, −1/4, 1/2 or ±0.3γ.
func offProxKinks() *mat.Dense {
	return mat.FromSlice(4, 3, []mat.Real{0.7, -0.15, 1.1, 0.16, -0.4, 0.15, -0.9, 0.35, 2, -0.15, 0.3, 0.6})
}

func TestProxDerivatives(t *testing.T) {
	for name, c := range constraints(t) {
		t.Run(name, func(t *testing.T) {
			gammas := []*mat.Dense{mat.Scalar(0.3), mat.FromSlice(4, 1, []mat.Real{0.1, 0.2, 0.3, 0.25})}
			if name == "range" {
				gammas = gammas[:1]
			}
			for _, gamma := range gammas {
				testkit.Derivatives(t, func(v []ad.Var) ad.Var { return c.Prox(v[0], v[1]).Square() },
					offProxKinks(), gamma)
			}
		})
	}
}

func TestFeasibility(t *testing.T) {
	nan := mat.New(4, 3)
	mat.Fill(nan, mat.Real(math.NaN()))
	for name, c := range constraints(t) {
		if name == "l1" {
			continue
		}
		inside := ad.Eval(c.Prox(ad.Input(drawn(4, 3, -5, 5, 7)), ad.Number(1)))
		if v := c.Value(inside); v != 0 {
			t.Errorf("%s: η = %v after the prox", name, v)
		}
		outside := ad.Eval(ad.Input(inside).Shift(-0.01).Scale(1.5).Add(ad.Input(drawn(4, 3, -1, 1, 8))))
		for what, h := range map[string]*mat.Dense{"outside": outside, "at NaN": nan} {
			if v := c.Value(h); !math.IsInf(v, 1) {
				t.Errorf("%s: η = %v %s", name, v, what)
			}
		}
	}
}

// TestClampByHand: clamped rows are what they are clamped to, and others stay.
func TestClampByHand(t *testing.T) {
	clamp, err := energy.Clamp([]int32{1}, 2, mat.FromSlice(1, 3, []mat.Real{7, 8, 9}))
	if err != nil {
		t.Fatal(err)
	}
	h := mat.FromSlice(2, 3, []mat.Real{3, -4, 0, 0.1, -0.2, 2})
	got := ad.Eval(clamp.Prox(ad.Input(h), ad.Number(1))).Slice()
	if !slices.Equal(got, []mat.Real{3, -4, 0, 7, 8, 9}) {
		t.Errorf("%v", got)
	}
}

// TestSphereAtZero: rows without a direction go to a unit vector, and no derivative is NaN there.
func TestSphereAtZero(t *testing.T) {
	for _, d := range []int{1, 3} {
		for _, tiny := range []float64{0, 1e-30, 1e-22, 1e-18, 1e-15, 1e-12, 1e-8, 1e-3} {
			m := mat.New(4, d)
			mat.Fill(m, mat.Real(tiny))
			h := ad.Input(m)
			z := energy.UnitSphere.Prox(h, ad.Number(1))
			first := ad.Grad(z.Dot(ad.Const(drawn(4, d, 0.3, 1.7, 1))), h)[0]
			second := ad.Grad(first.Dot(ad.Const(drawn(4, d, 0.3, 1.7, 2))), h)[0]
			norm := z.Square().SumCols()
			prog := ad.Compile(z, first, second, norm)
			if err := prog.Run(); err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]ad.Var{"prox": z, "first": first, "second": second} {
				if err := prog.Value(v).CheckFinite(); err != nil {
					t.Errorf("d = %d, entries %v: %s: %v", d, tiny, name, err)
				}
			}
			for _, x := range prog.Value(norm).Slice() {
				if !nearly(float64(x), 1, rounding) {
					t.Errorf("d = %d, entries %v: norm² %v", d, tiny, x)
				}
			}
		}
	}
}

func TestClampErrors(t *testing.T) {
	two := mat.New(2, 3)
	for want, rows := range map[string][]int32{"id 9 is not in": {1, 9}, "row 1 is at positions 0 and 1": {1, 1},
		"3 clamped rows with 2": {0, 1, 2}} {
		if _, err := energy.Clamp(rows, 4, two); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", rows, err, want)
		}
	}
}

func TestBadConstraintsPanic(t *testing.T) {
	for _, c := range []energy.Constraint{energy.Box(1, 0), energy.Ball(0), energy.Ball(math.NaN())} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", c)
				}
			}()
			c.Prox(ad.Input(mat.New(1, 1)), ad.Number(1))
		}()
	}
}
