package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/train"
)

// learning returns charts of training: the metric, the loss and the energy, epoch by epoch.
func (r *Run) learning() []*show.Chart {
	return present(r.metricCurves(),
		r.lossCurves("What training minimises, with dropout where there is any."), r.energyCurves())
}

// metricCurves shows the metric of the three parts and, of a single run, the epoch that was kept.
func (r *Run) metricCurves() *show.Chart {
	curves := r.over("training", show.Series(2), func(e train.Record) float64 { return e.Train })
	curves = append(curves, r.over("validation", show.Series(0), valid)...)
	curves = append(curves, r.over("test", show.Series(1), func(e train.Record) float64 { return e.Test })...)
	about := fmt.Sprintf("Of %d runs, a line each.", len(r.Histories))
	if len(r.Histories) == 1 {
		about = "The run had no validation nodes: the last epoch was kept."
		for _, e := range r.Histories[0] {
			if e.Epoch == r.Trained.Epoch && !math.IsNaN(e.Valid) {
				curves = append(curves, show.Curve{Name: "kept", Ink: show.Series(0), X: []float64{float64(e.Epoch)},
					Y: []float64{e.Valid}, Marks: true})
				about = fmt.Sprintf("Epoch %d has the best validation %s, %s, and was kept.", e.Epoch,
					words(r.Result.Metric), r.format()(e.Valid))
			}
		}
	}
	f := show.LineChart(title(words(r.Result.Metric)), show.Axes{Below: "epoch", Y: r.format(), Count: true}, curves...)
	return f.Saying(about)
}

// energyCurves shows ℓ_low before and after the descent, on a logarithmic axis if it is positive.
func (r *Run) energyCurves() *show.Chart {
	log := true
	for _, h := range r.Histories {
		for _, e := range h {
			log = log && !(e.Start <= 0) && !(e.End <= 0)
		}
	}
	curves := r.over("before the first step", show.Series(4), func(e train.Record) float64 { return e.Start })
	curves = append(curves, r.over("after the last", show.Series(0), func(e train.Record) float64 { return e.End })...)
	return show.LineChart("Energy while training", show.Axes{Below: "epoch", Log: log, Count: true}, curves...).Saying(
		"Where the two lines are far apart, neighbours say something that a node's own features do not.")
}

// descent returns charts of the layers: the energy after every step, and how far every step moves.
func (r *Run) descent() []*show.Chart {
	if r.After == nil {
		return nil
	}
	return present(r.energyPerLayer(), r.stepLengths())
}

// beforeAndAfter draws something of the descents before and after training.
func (r *Run) beforeAndAfter(title string, a show.Axes, points func(*bloom.Evidence) (xs, ys []float64)) *show.Chart {
	before := show.Curve{Name: "before training", Ink: show.Series(4), Dash: true}
	after := show.Curve{Name: "after", Ink: show.Series(0)}
	before.X, before.Y = points(r.Before)
	after.X, after.Y = points(r.After)
	before.Marks, after.Marks = len(before.X) <= 33, len(after.X) <= 33
	return show.LineChart(title, a, before, after)
}

// energyPerLayer compares energies. Energies of different weights have different sizes, so both are shown relative to
// where they begin, unless one begins at zero or below.
func (r *Run) energyPerLayer() *show.Chart {
	points, a := shares, show.Axes{Below: "layer", Y: show.Percent, Count: true}
	for _, e := range []*bloom.Evidence{r.Before, r.After} {
		if !(e.Energy[0] > 0) || slices.Min(e.Energy) < 0 {
			points, a.Y = energies, show.Compact
		}
	}
	first, last := 0, len(r.After.Energy)-1
	return r.beforeAndAfter("Energy per layer", a, points).Saying(fmt.Sprintf(
		"Before training it falls from %s to %s, after it from %s to %s.", show.Compact(r.Before.Energy[first]),
		show.Compact(r.Before.Energy[last]), show.Compact(r.After.Energy[first]), show.Compact(r.After.Energy[last])))
}

func energies(e *bloom.Evidence) (xs, ys []float64) {
	for l, x := range e.Energy {
		xs, ys = append(xs, float64(l)), append(ys, x)
	}
	return xs, ys
}

// shares returns energies as shares of the first; nil if that is not positive.
func shares(e *bloom.Evidence) (xs, ys []float64) {
	if !(e.Energy[0] > 0) {
		return nil, nil
	}
	xs, ys = energies(e)
	for l := range ys {
		ys[l] /= e.Energy[0]
	}
	return xs, ys
}

// stepLengths shows convergence: steps that shrink by the same factor are a straight line.
func (r *Run) stepLengths() *show.Chart {
	a := show.Axes{Below: "step", Y: small, Log: true, Count: true}
	return r.beforeAndAfter("How far each step moves", a, moves).Saying(fmt.Sprintf(
		"‖ΔH‖ / ‖H‖. Step %d, which is not taken, would still move the embeddings by %s: %s.", r.After.Steps+1,
		small(r.After.Residual), r.convergence()))
}

// moves returns the lengths of steps. Steps from H = 0 are left out, as a length relative to H means nothing there.
func moves(e *bloom.Evidence) (xs, ys []float64) {
	for l, x := range e.Moves {
		if x <= 1e6 {
			xs, ys = append(xs, float64(l+1)), append(ys, x)
		}
	}
	return xs, ys
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
