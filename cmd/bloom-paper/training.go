package main

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// The numbers that training gives.
const (
	test   = "test"       // the metric of the data set on its test nodes, at the epoch that validation chose
	splits = "ten splits" // the same, run i on split i
	ratio  = "detect"     // the share of corrupted nodes among the top k by residual, for k corrupted nodes
)

// measureTraining trains once, and once more on the split of the run if the cell asks for all splits; only the latter
// if it asks for nothing else.
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

// diverged turns an error that is the fault of the settings into an outcome: a descent or a training that became NaN
// or Inf.
func diverged(err error) (Outcome, error) {
	var number *train.NotFinite
	var steps *descent.Diverged
	if errors.As(err, &number) || errors.As(err, &steps) {
		return Outcome{Diverged: err.Error()}, nil
	}
	return Outcome{}, err
}

// of50 is the expected Hits@10 among the right answer and 49 others, with ties against the model, as NBFNet reports it.
const of50 = "hits@10_50"

// measureRanks trains once on a knowledge graph and ranks the test facts. If the model is judged by of50, ties count
// against it in the full rankings too.
func measureRanks(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	c.Train.Repeat = 1
	r, err := fact.Run(ctx, c, j.data, fact.Options{})
	if err != nil {
		return diverged(err)
	}
	s := r.Ranking.Scores
	if r.Metric == of50 {
		s = r.Ranking.Pessimistic
	}
	return Outcome{Valid: 100 * r.Valid.Mean, Numbers: map[string]float64{
		of50: 100 * r.Ranking.Pessimistic.Hits10of50, "mrr": 100 * s.MRR, "hits@1": 100 * s.Hits1,
		"hits@3": 100 * s.Hits3, "hits@10": 100 * s.Hits10,
	}}, nil
}
