package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
)

// Cauchy is t²/2 log(1 + z²/t²), whose derivative z/(1 + z²/t²) falls off beyond t: residuals far away count little,
// but more than with Welsch. Its second derivative is between −1/8 and 1, so that it is not convex.
func Cauchy(t float64) Penalty {
	where := []string{fmt.Sprintf("ρ(z) = Σ %g²/2 log(1 + z²/%g²)", t, t), fmt.Sprintf("ρ′(z) = z/(1 + z²/%g²)", t)}
	return Penalty{Name: "cauchy", T: above0("cauchy", t), Curv: 1, text: penaltyText{Where: where},
		Rho: func(z ad.Var) ad.Var { return z.Square().Scale(1 / (t * t)).Shift(1).Log().Scale(t * t / 2) }}
}
