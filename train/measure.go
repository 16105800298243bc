package train

import (
	"math"

	"github.com/bloomgml/bloom/metric"
)

// Measuring is a Job that measures more than its metric, once, after Finish.
type Measuring interface {
	Measures() []Measure
}

// Measure is a metric of one run: of validation nodes, of test nodes, and on these of the answer that is the same for
// all nodes, such as the most frequent class of training nodes. NaN if there is nothing to measure.
type Measure struct {
	Metric                string
	Valid, Test, Majority float64
}

// Measured is a metric over runs.
type Measured struct {
	Metric   string           `json:"metric"`
	Test     Score            `json:"test"`
	Valid    Score            `json:"valid"`
	Majority *metric.Nullable `json:"majority,omitempty"` // of the best run: what one answer for all nodes gives
}

// Calibration holds what was found on validation nodes about the probabilities of a classifier.
type Calibration struct {
	// Temperature divides logits before they become probabilities. It minimises the log loss of the validation nodes.
	Temperature float64 `json:"temperature"`
	// Threshold, of two classes, is the probability of the second above which it is the answer; 0 if the larger
	// probability decides. By is the metric of the validation nodes that it maximises.
	Threshold float64 `json:"threshold,omitempty"`
	By        string  `json:"threshold_by,omitempty"`
	// Thresholds, of sets of classes, has a threshold per class if these are better than Threshold for all.
	Thresholds []float64 `json:"thresholds,omitempty"`
	// Factor, of numbers that were learnt as logarithms, multiplies their exponentials. It minimises the squared
	// error of the validation nodes.
	Factor float64 `json:"factor,omitempty"`
	// Before and After are the expected calibration error of the test nodes, without and with Temperature.
	Before metric.Nullable `json:"ece_before"`
	After  metric.Nullable `json:"ece_after"`
}

// better reports whether a is a better value of a metric than b.
func better(name string, a, b float64) bool {
	if m, _ := metric.ByName(name); m.Lower {
		return a < b
	}
	return a > b
}

// worst returns a value that every value of a metric is better than.
func worst(name string) float64 {
	if m, _ := metric.ByName(name); m.Lower {
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// measured summarises every metric over all runs; best is the run that the result is about.
func measured(all []outcome, best *outcome) []Measured {
	var list []Measured
	for i, m := range best.measures {
		var test, valid []float64
		for _, x := range all {
			test, valid = append(test, x.measures[i].Test), append(valid, x.measures[i].Valid)
		}
		one := Measured{Metric: m.Metric, Test: scoreOf(test), Valid: scoreOf(valid)}
		if !math.IsNaN(m.Majority) {
			n := metric.Nullable(m.Majority)
			one.Majority = &n
		}
		list = append(list, one)
	}
	return list
}
