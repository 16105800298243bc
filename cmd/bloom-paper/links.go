package main

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/train"
)

// measureLinks holds edges out by the seed of the run, learns links from the others, and measures the held-out ones:
// roc_auc and average_precision against as many pairs that are not joined, mrr and hits@10 among all nodes.
func measureLinks(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	c.Train.Repeat = 1
	o := Outcome{Numbers: map[string]float64{}}
	if slices.Contains(plainLinks, j.cell.Row) {
		list, err := measurePlain(j.cell.Row, c, j.data)
		for _, m := range list {
			o.add(m.Metric, m.Valid, m.Test)
		}
		return o, err
	}
	r, err := pair.Run(ctx, c, j.data, train.Options{})
	if err != nil {
		return diverged(err)
	}
	for _, m := range r.Metrics {
		valid := 0.0
		if len(m.Valid.Runs) > 0 {
			valid = m.Valid.Mean
		}
		o.add(m.Metric, valid, m.Test.Mean)
	}
	return o, nil
}

// add takes a metric of links down; roc_auc of the validation edges chooses.
func (o *Outcome) add(metric string, valid, test float64) {
	o.Numbers[metric] = 100 * test
	if metric == "roc_auc" {
		o.Valid = 100 * valid
	}
}
