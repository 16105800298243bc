package report

import (
	"fmt"
	"math"

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
