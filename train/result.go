package train

import (
	"math"

	"github.com/bloomgml/bloom/metric"
)

// Result is what came out of all runs.
type Result struct {
	Data     string   `json:"data"`
	Recipe   string   `json:"recipe"`
	Metric   string   `json:"metric"`
	Test     Score    `json:"test"` // at the epochs that validation chose
	Valid    Score    `json:"valid"`
	Epochs   int      `json:"epochs"`  // of the longest run
	Best     []int    `json:"best"`    // the epoch that was chosen, of every run
	Seconds  float64  `json:"seconds"` // of all runs, from building the network to the last file
	Weights  int      `json:"weights"` // how many numbers are trained
	Run      string   `json:"run,omitempty"`
	Warnings []string `json:"warnings,omitempty"`

	// Task is the network of the run with the best validation metric, with the weights of its best epoch.
	Task *Task `json:"-"`
}

// Score is a metric over runs: fractions, with the deviation of the runs themselves (divided by their number).
type Score struct {
	Mean float64   `json:"mean"`
	SD   float64   `json:"sd"`
	Runs []float64 `json:"runs"`
}

// scoreOf sums up runs; NaNs, of splits without nodes, are left out.
func scoreOf(runs []float64) Score {
	s := Score{Runs: []float64{}}
	for _, v := range runs {
		if !math.IsNaN(v) {
			s.Runs = append(s.Runs, v)
		}
	}
	if len(s.Runs) > 0 {
		s.Mean, s.SD = metric.Mean(s.Runs), metric.SD(s.Runs)
	}
	return s
}
