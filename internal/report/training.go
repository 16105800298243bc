package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/run"
)

// learning is how the run learnt: the metric, the loss and the energy, epoch by epoch.
func (r *Run) learning() []*chart.Chart {
	return present(r.metricCurves(), r.lossCurves(), r.energyCurves())
}

// present are the figures that there is something to show on.
func present(figures ...*chart.Chart) []*chart.Chart {
	var list []*chart.Chart
	for _, f := range figures {
		if f != nil {
			list = append(list, f)
		}
	}
	return list
}

// column is a number of every epoch that has it.
func column(h []run.Record, f func(run.Record) float64) (epochs, ys []float64) {
	for _, e := range h {
		if y := f(e); !math.IsNaN(y) {
			epochs, ys = append(epochs, float64(e.Epoch)), append(ys, y)
		}
	}
	return epochs, ys
}

// over draws a number of the epochs of every run; only the first has a name in the legend.
func (r *Run) over(name string, k chart.Ink, f func(run.Record) float64) []chart.Curve {
	var curves []chart.Curve
	for _, h := range r.Histories {
		xs, ys := column(h, f)
		curves = append(curves, chart.Curve{Name: name, Ink: k, X: xs, Y: ys, Thin: len(r.Histories) > 2})
		name = ""
	}
	return curves
}

// metricCurves shows the metric of the three parts and, of a single run, the epoch that was kept.
func (r *Run) metricCurves() *chart.Chart {
	curves := r.over("training", chart.Series(2), func(e run.Record) float64 { return e.Train })
	curves = append(curves, r.over("validation", chart.Series(0), func(e run.Record) float64 { return e.Valid })...)
	curves = append(curves, r.over("test", chart.Series(1), func(e run.Record) float64 { return e.Test })...)
	about := fmt.Sprintf("Of %d runs, a line each.", len(r.Histories))
	if len(r.Histories) == 1 {
		about = "The run had no validation nodes: the last epoch was kept."
		for _, e := range r.Histories[0] {
			if e.Epoch == r.Trained.Epoch && !math.IsNaN(e.Valid) {
				curves = append(curves, chart.Curve{Name: "kept", Ink: chart.Series(0), X: []float64{float64(e.Epoch)},
					Y: []float64{e.Valid}, Marks: true})
				about = fmt.Sprintf("Epoch %d has the best validation %s, %s, and was kept.", e.Epoch,
					words(r.Result.Metric), percent(e.Valid))
			}
		}
	}
	f := chart.Lines(title(words(r.Result.Metric)), chart.Axes{Below: "epoch", Y: percent, Count: true}, curves...)
	return f.Saying(about)
}

// lossCurves shows ℓ_up.
func (r *Run) lossCurves() *chart.Chart {
	curves := r.over("", chart.Series(2), func(e run.Record) float64 { return e.Loss })
	return chart.Lines("Training loss", chart.Axes{Below: "epoch", Count: true},
		curves...).Saying("What training minimises, with dropout where there is any.")
}

// energyCurves shows ℓ_low before and after the descent, on a logarithmic axis where it is positive.
func (r *Run) energyCurves() *chart.Chart {
	log := true
	for _, h := range r.Histories {
		for _, e := range h {
			log = log && !(e.Start <= 0) && !(e.End <= 0)
		}
	}
	curves := r.over("before the first step", chart.Series(4), func(e run.Record) float64 { return e.Start })
	curves = append(curves, r.over("after the last", chart.Series(0), func(e run.Record) float64 { return e.End })...)
	return chart.Lines("Energy while training", chart.Axes{Below: "epoch", Log: log, Count: true}, curves...).Saying(
		"Where the two lines are far apart, neighbours say something that a node's own features do not.")
}
