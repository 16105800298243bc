package main

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/node"
)

// divisions is the number of times that the nodes outside training are divided.
const divisions = 100

// measureCoverage trains once and divides the validation and test nodes again at random, into calibration and test
// nodes in the original numbers. Sets should contain the truth with probability 0.9; coverage, deviation and size are
// mean and deviation of the share of test nodes whose set does, and the mean number of classes; class coverage is the
// mean share of the class that has the lowest.
func measureCoverage(ctx context.Context, j job) (Outcome, error) {
	r, err := trained(ctx, j, j.config)
	if err != nil {
		return diverged(err)
	}
	t := node.Of(r)
	p, err := t.Predict()
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Valid: 100 * r.Valid.Mean, Numbers: map[string]float64{}}
	var held, size []float64
	class := make([]float64, t.Classes())
	for i := range uint64(divisions) {
		all := shuffled(slices.Concat(t.Split.Valid, t.Split.Test), mat.Mix(j.config.Train.Seed, i))
		n := len(t.Split.Valid)
		s, err := p.Conform(node.Conforming{Coverage: 0.9, Valid: all[:n], Test: all[n:]})
		if err != nil {
			return o, err
		}
		held, size = append(held, 100*s.Test), append(size, s.Size)
		for y, c := range s.Classes {
			class[y] += 100 * c.Test / divisions
		}
	}
	o.Numbers["coverage"], o.Numbers["deviation"] = metric.Mean(held), metric.SD(held)
	o.Numbers["size"], o.Numbers["class coverage"] = metric.Mean(size), slices.Min(class)
	return o, nil
}

// shuffled returns a list in an order that is a function of seed.
func shuffled(list []int32, seed uint64) []int32 {
	for i := len(list) - 1; i > 0; i-- {
		k := mat.Mix(seed, uint64(i)) % uint64(i+1)
		list[i], list[k] = list[k], list[i]
	}
	return list
}
