package task

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/train"
)

// LossAndValid shows an epoch: its loss, and its validation metric or the best before it, if there is one.
func LossAndValid(e train.Event) string {
	valid := e.Valid
	if math.IsNaN(valid) { // this epoch is not evaluated
		valid = e.Best.Valid
	}
	switch {
	case math.IsNaN(valid): // nor was one before
		return fmt.Sprintf("loss %.3f", e.Loss)
	case math.IsNaN(e.Loss): // nothing was trained
		return fmt.Sprintf("valid %.3f", valid)
	}
	return fmt.Sprintf("loss %.3f  valid %.3f", e.Loss, valid)
}

// Headline returns the metric of test and validation nodes or facts, and which of them cannot be measured; measured
// is more about how it was done.
func Headline(r *train.Result, of, measured string) string {
	runs := ""
	if n := len(r.Test.Runs); n > 1 {
		runs = fmt.Sprintf(" over %d runs", n)
	}
	switch tests, valids := len(r.Test.Runs), len(r.Valid.Runs); {
	case tests+valids == 0:
		return fmt.Sprintf("no validation and no test %s that can be measured", of)
	case tests == 0:
		return fmt.Sprintf("no test %s that can be measured, validation %s %s", of, r.Metric, Scored(r.Valid))
	case valids == 0:
		return fmt.Sprintf("test %s %s%s, no validation %s that can be measured%s", r.Metric, Scored(r.Test), runs, of,
			measured)
	}
	return fmt.Sprintf("test %s %s%s, validation %s%s", r.Metric, Scored(r.Test), runs, Scored(r.Valid), measured)
}

// Scored formats a score, with the deviation if there are several runs.
func Scored(s train.Score) string {
	if len(s.Runs) > 1 {
		return fmt.Sprintf("%.4f ± %.4f", s.Mean, s.SD)
	}
	return fmt.Sprintf("%.4f", s.Mean)
}
