package energy_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Ridge is an η of our own, t/2 ‖h‖², whose prox is h/(1 + γt).
type Ridge struct{ T float64 }

func (r Ridge) Prox(h, gamma ad.Var) ad.Var { return h.Div(gamma.Scale(r.T).Shift(1)) }
func (r Ridge) Convex() bool                { return true }
func (r Ridge) Value(h *mat.Dense) float64 {
	return r.T / 2 * float64(ad.Eval(ad.Input(h).Square().Sum()).Item())
}

// A new η is its prox, its value, and whether it is convex.
func ExampleConstraint() {
	var eta energy.Constraint = Ridge{T: 2}
	h := mat.FromSlice(2, 2, []mat.Real{2, 4, -6, 0})
	perNode := ad.Const(mat.FromSlice(2, 1, []mat.Real{0.5, 1}))
	fmt.Println(eta.Value(h), ad.Eval(eta.Prox(ad.Input(h), perNode)).Slice())
	// Output: 56 [1 2 -2 0]
}
