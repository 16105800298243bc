package relax

import (
	"math"

	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// relax finds the states of π where η holds some, the first array, from where they are, until their certificate is good
// or there were enough sweeps.
//
// Overview: projected steps from y, to where Nesterov's momentum has carried x (Beck and Teboulle 2009), which is
// dropped where the last move turns against the gradient (O'Donoghue and Candès 2015). Rows have steps of their own, so
// that norms are those of steps divided by their length.
func (w *sweeper) relax(pi []mat.Real, most int) (Certificate, error) {
	x, y, next := w.array(itsState), w.array(itsGradient), w.array(itsDirection)
	copy(y, x)
	var momentum solve.Momentum
	still := true // y is x
	for k := 1; ; k++ {
		if err := w.stepped(next, y, pi); err != nil {
			return Certificate{}, err
		}
		m := w.moved(x, y, next)
		c := Certificate{ratio(math.Sqrt(m.norm), w.size(y)), k}
		if still && (c.Residual <= w.tolerance() || k >= most || !(c.Residual < math.Inf(1))) {
			return c, nil
		}
		if still = c.Residual <= w.tolerance() || k >= most-1; still || m.slope > 0 {
			momentum = solve.Momentum{}
		}
		beta := 0.0
		if !still {
			beta = momentum.Next()
		}
		w.carry(x, y, next, mat.Real(beta))
	}
}

// size is what the norm of a gradient at the states x is compared with.
func (w *sweeper) size(x []mat.Real) float64 { return w.local.Weight * w.norm(x) }

// ratio is a/b, 0 where both are.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// stepped is a projected step of all rows of y.
func (w *sweeper) stepped(next, y, pi []mat.Real) error {
	return w.blocks(func(b block.Block) error {
		from, to := b.First*w.width, (b.First+b.Rows())*w.width
		return w.step.Step(next[from:to], y, pi[from:to], w.scale, w.width, b)
	})
}

// moved is ‖(y − x′)/r‖² and, as slope, ⟨y − x′, (x′ − x)/r⟩, for x before and x′ after a step of the lengths r.
func (w *sweeper) moved(x, y, next []mat.Real) part {
	return w.inRows(0, w.Nodes, func(lo, hi int) (sum part) {
		for v := lo; v < hi; v++ {
			from, to := v*w.width, (v+1)*w.width
			x, y, next := x[from:to], y[from:to], next[from:to]
			var norm, turn mat.Real
			for j, to := range next {
				step := y[j] - to
				norm += step * step
				turn += step * (to - x[j])
			}
			stiff := w.local.Weight + 2*w.pair(v)
			sum.norm += float64(norm) * stiff * stiff
			sum.slope += float64(turn) * stiff
		}
		return sum
	})
}

// carry is x ← x′ and y ← x′ + β (x′ − x).
func (w *sweeper) carry(x, y, next []mat.Real, beta mat.Real) {
	w.inRows(0, w.Nodes, func(lo, hi int) part {
		for j := lo * w.width; j < hi*w.width; j++ {
			to := next[j]
			x[j], y[j] = to, to+beta*(to-x[j])
		}
		return part{}
	})
}
