package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/run"
)

// learning is how the run learnt: the metric, the loss and the energy, epoch by epoch.
func (r *Run) learning() []*figure {
	return present(r.metricCurves(), r.lossCurves(), r.energyCurves())
}

// present are the figures that there is something to show on.
func present(figures ...*figure) []*figure {
	var list []*figure
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
func (r *Run) over(name string, k ink, f func(run.Record) float64) []curve {
	var curves []curve
	for _, h := range r.Histories {
		xs, ys := column(h, f)
		curves = append(curves, curve{name: name, ink: k, xs: xs, ys: ys, thin: len(r.Histories) > 2})
		name = ""
	}
	return curves
}

// metricCurves shows the metric of the three parts and, of a single run, the epoch that was kept.
func (r *Run) metricCurves() *figure {
	curves := r.over("training", seriesInk(2), func(e run.Record) float64 { return e.Train })
	curves = append(curves, r.over("validation", seriesInk(0), func(e run.Record) float64 { return e.Valid })...)
	curves = append(curves, r.over("test", seriesInk(1), func(e run.Record) float64 { return e.Test })...)
	about := fmt.Sprintf("Of %d runs, a line each.", len(r.Histories))
	if len(r.Histories) == 1 {
		about = "The run had no validation nodes: the last epoch was kept."
		for _, e := range r.Histories[0] {
			if e.Epoch == r.Trained.Epoch && finite(e.Valid) {
				curves = append(curves, curve{name: "kept", ink: seriesInk(0), xs: []float64{float64(e.Epoch)},
					ys: []float64{e.Valid}, marks: true})
				about = fmt.Sprintf("Epoch %d has the best validation %s, %s, and was kept.", e.Epoch,
					words(r.Result.Metric), percent(e.Valid))
			}
		}
	}
	f := lines(title(words(r.Result.Metric)), axes{below: "epoch", y: percent, count: true}, curves...)
	return f.saying(about)
}

// lossCurves shows ℓ_up.
func (r *Run) lossCurves() *figure {
	curves := r.over("", seriesInk(2), func(e run.Record) float64 { return e.Loss })
	return lines("Training loss", axes{below: "epoch", count: true},
		curves...).saying("What training minimises, with dropout where there is any.")
}

// energyCurves shows ℓ_low before and after the descent, on a logarithmic axis where it is positive.
func (r *Run) energyCurves() *figure {
	log := true
	for _, h := range r.Histories {
		for _, e := range h {
			log = log && !(e.Start <= 0) && !(e.End <= 0)
		}
	}
	curves := r.over("before the first step", seriesInk(4), func(e run.Record) float64 { return e.Start })
	curves = append(curves, r.over("after the last", seriesInk(0), func(e run.Record) float64 { return e.End })...)
	return lines("Energy while training", axes{below: "epoch", log: log, count: true}, curves...).saying(
		"Where the two lines are far apart, neighbours say something that a node's own features do not.")
}

// saying is f with a sentence below it.
func (f *figure) saying(about string) *figure {
	if f != nil {
		f.About = about
	}
	return f
}
