package ad_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
)

// TestTurn: turning against its definition by columns, there and back, and its derivatives, also where rows are
// functions of the angles.
func TestTurn(t *testing.T) {
	for _, back := range []bool{false, true} {
		f := func(v []ad.Var) ad.Var { return v[0].Turn(v[1], back) }
		h, theta := ad.Const(uniform(3, 4, -1, 1, 90)), ad.Const(uniform(3, 2, -4, 4, 91))
		p, q, cos, sin := h.Columns(0, 2), h.Columns(2, 4), theta.Map("cos", 0), theta.Map("sin", 0)
		if back {
			sin = sin.Neg()
		}
		want := ad.Concat(p.Mul(cos).Sub(q.Mul(sin)), p.Mul(sin).Add(q.Mul(cos)))
		if e := ad.Eval(f([]ad.Var{h, theta}).Sub(want)).MaxAbs(); e > 1e-6 { // one rounding apart at most
			t.Errorf("back %v: off by %v", back, e)
		}
		testkit.Derivatives(t, f, uniform(3, 4, -1, 1, 92), uniform(3, 2, -4, 4, 93))
		testkit.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].Turn(v[0].Columns(1, 4).Square(), back) },
			uniform(2, 6, -1, 1, 94))
	}
}
