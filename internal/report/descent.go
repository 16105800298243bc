package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom"

	"github.com/bloomgml/bloom/internal/chart"
)

// descent is what the layers do: the energy after every step, and how far every step moves.
func (r *Run) descent() []*chart.Chart {
	if r.After == nil {
		return nil
	}
	return present(r.energyPerLayer(), r.stepLengths())
}

// energyPerLayer compares the descents before and after training. Energies of different weights have different sizes,
// so both are shown as shares of where they begin, unless one begins at zero or below.
func (r *Run) energyPerLayer() *chart.Chart {
	y, share := chart.Format(percent), true
	for _, e := range []*bloom.Evidence{r.Before, r.After} {
		for _, x := range e.Energy {
			share = share && x >= 0 && e.Energy[0] > 0
		}
	}
	if !share {
		y = chart.Compact
	}
	draw := func(name string, k chart.Ink, e *bloom.Evidence, dash bool) chart.Curve {
		c := chart.Curve{Name: name, Ink: k, Dash: dash, Marks: len(e.Energy) <= 33}
		for l, x := range e.Energy {
			if share {
				x /= e.Energy[0]
			}
			c.X, c.Y = append(c.X, float64(l)), append(c.Y, x)
		}
		return c
	}
	a := chart.Axes{Below: "layer", Y: y, Count: true}
	f := chart.Lines("Energy per layer", a, draw("before training", chart.Series(4), r.Before, true),
		draw("after", chart.Series(0), r.After, false))
	return f.Saying(fmt.Sprintf("Before training it falls from %s to %s, after it from %s to %s.",
		chart.Compact(first(r.Before.Energy)), chart.Compact(last(r.Before.Energy)),
		chart.Compact(first(r.After.Energy)),
		chart.Compact(last(r.After.Energy))))
}

// stepLengths shows convergence: steps that shrink by the same factor are a straight line.
func (r *Run) stepLengths() *chart.Chart {
	draw := func(name string, k chart.Ink, e *bloom.Evidence, dash bool) chart.Curve {
		c := moves(e)
		c.Name, c.Ink, c.Dash, c.Marks = name, k, dash, len(e.Moves) <= 33
		return c
	}
	a := chart.Axes{Below: "step", Y: small, Log: true, Count: true}
	f := chart.Lines("How far each step moves", a, draw("before training", chart.Series(4), r.Before, true),
		draw("after", chart.Series(0), r.After, false))
	return f.Saying(fmt.Sprintf("‖ΔH‖ / ‖H‖. Step %d, which is not taken, would still move the embeddings by %s: %s.",
		r.After.Steps+1, small(r.After.Residual), r.convergence()))
}

// moves are the points of step lengths. Those of a step from H = 0 are left out, as a length relative to H means
// nothing there.
func moves(e *bloom.Evidence) (c chart.Curve) {
	for l, x := range e.Moves {
		if x > 1e6 {
			x = math.NaN()
		}
		c.X, c.Y = append(c.X, float64(l+1)), append(c.Y, x)
	}
	return c
}

// convergence judges the residual. Chosen: below a thousandth predictions agree with those at the fixed point to the
// digits shown here.
func (r *Run) convergence() string {
	switch e := r.After; {
	case e.Drop() < 0:
		return "its steps may be too long"
	case e.Residual < 1e-3:
		return "the descent has converged"
	case e.Residual < 5e-2:
		return "the descent has nearly converged"
	}
	return "the descent stops before it converges"
}

func first(x []float64) float64 { return x[0] }
func last(x []float64) float64  { return x[len(x)-1] }
