package ad_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/check"
)

// TestMulComplex: the product against its definition by columns, and its derivatives.
func TestMulComplex(t *testing.T) {
	for _, conj := range []bool{false, true} {
		f := func(v []ad.Var) ad.Var { return v[0].MulComplex(v[1], conj) }
		a, b := ad.Const(uniform(3, 4, -1, 1, 90)), ad.Const(uniform(3, 4, -1, 1, 91))
		p, q, r, s := a.Columns(0, 2), a.Columns(2, 4), b.Columns(0, 2), b.Columns(2, 4)
		if conj {
			s = s.Neg()
		}
		want := ad.Concat(p.Mul(r).Sub(q.Mul(s)), p.Mul(s).Add(q.Mul(r)))
		if e := ad.Eval(f([]ad.Var{a, b}).Sub(want)).MaxAbs(); e > 1e-6 { // one rounding apart at most
			t.Errorf("conj %v: off by %v", conj, e)
		}
		check.Derivatives(t, f, uniform(3, 4, -1, 1, 92), uniform(3, 4, -1, 1, 93))
		check.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].MulComplex(v[0].Square(), conj) },
			uniform(2, 6, -1, 1, 94))
	}
}
