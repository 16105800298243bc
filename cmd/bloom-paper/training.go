package main

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// The numbers that training gives.
const (
	test   = "test"       // the metric of the data set on its test nodes, at the epoch that validation chose
	splits = "ten splits" // the same, run i on split i
	ratio  = "detect"     // the share of corrupted nodes among as many nodes of the largest residual
)

// measureTraining trains once, and once more on the split of the run where the cell asks for all splits; only that
// where it asks for nothing else.
func measureTraining(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	_, first := j.cell.number(test)
	_, all := j.cell.number(splits)
	if all && !first {
		c.Data.Split = j.run % max(1, len(j.data.Splits))
	}
	r, err := trained(ctx, j, c)
	if err != nil || r == nil {
		return diverged(err)
	}
	o := Outcome{Numbers: map[string]float64{}, Valid: 100 * r.Valid.Mean}
	if first {
		o.Numbers[test] = 100 * r.Test.Mean
	}
	if _, ok := j.cell.number(ratio); ok {
		task := node.Of(r)
		in, err := task.Inspect(0)
		if err != nil {
			return o, err
		}
		o.Numbers[ratio] = 100 * task.Detect(in).Ratio
	}
	if all {
		if split := j.run % max(1, len(j.data.Splits)); split != c.Data.Split {
			c.Data.Split = split
			if r, err = trained(ctx, j, c); err != nil {
				return diverged(err)
			}
		}
		o.Numbers[splits] = 100 * r.Test.Mean
	}
	return o, nil
}

// trained is one training run.
func trained(ctx context.Context, j job, c config.Config) (*train.Result, error) {
	c.Train.Repeat = 1
	return node.Run(ctx, c, j.data, node.Options{})
}

// diverged makes an outcome of an error that is the fault of the settings: a descent or a training that leaves the
// numbers.
func diverged(err error) (Outcome, error) {
	var number *train.NotFinite
	var steps *descent.Diverged
	if errors.As(err, &number) || errors.As(err, &steps) {
		return Outcome{Diverged: err.Error()}, nil
	}
	return Outcome{}, err
}
