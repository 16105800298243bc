package report

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/chart"
)

// metrics are all metrics of the test nodes, each with that of one answer for all nodes, and what calibration found.
func (r *Run) metrics() []fact {
	var list []fact
	for _, m := range r.Result.Metrics {
		if len(m.Test.Runs) == 0 {
			continue
		}
		f := fact{Name: words(m.Metric), Value: chart.Digits(m.Test.Mean)}
		if len(m.Test.Runs) > 1 {
			f.Value += " ± " + chart.Digits(m.Test.SD)
		}
		if m.Majority != nil {
			f.More = fmt.Sprintf("always %s: %s", r.Trained.Always(), chart.Digits(float64(*m.Majority)))
		}
		list = append(list, f)
	}
	if c := r.Result.Calibration; c != nil && c.Temperature != 1 {
		list = append(list, fact{Name: "temperature", Value: chart.Digits(c.Temperature),
			More: fmt.Sprintf("calibration error %s, without it %s", percent(float64(c.After)),
				percent(float64(c.Before)))})
	}
	if c := r.Result.Calibration; c != nil && c.Threshold > 0 {
		list = append(list, fact{Name: "threshold", Value: chart.Digits(c.Threshold),
			More: "best validation " + words(c.By)})
	}
	return list
}
