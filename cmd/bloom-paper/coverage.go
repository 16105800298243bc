package main

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/nodes"
)

// divisions is how often the nodes that were not trained on are divided.
const divisions = 100

// measureCoverage trains once and divides the validation and test nodes anew at random, into as many that calibrate and
// that test as there were. Sets shall hold the truth with probability 0.9; coverage, deviation and size are mean and
// deviation of the share of test nodes whose set does, and the mean number of classes. Those that begin with aps are of
// adaptive sets without diffusion.
func measureCoverage(ctx context.Context, j job) (Outcome, error) {
	r, err := trained(ctx, j, j.config)
	if err != nil {
		return diverged(err)
	}
	t := nodes.Of(r)
	p, err := t.Predict()
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Valid: 100 * r.Valid.Mean, Numbers: map[string]float64{}}
	for _, how := range []struct {
		name  string
		plain bool
	}{{"", false}, {"aps ", true}} {
		var held, size []float64
		for i := range uint64(divisions) {
			all := shuffled(slices.Concat(t.Split.Valid, t.Split.Test), mat.Mix(j.config.Train.Seed, i))
			n := len(t.Split.Valid)
			s, err := p.Conform(nodes.Conforming{Coverage: 0.9, Plain: how.plain, Valid: all[:n], Test: all[n:],
				Seed: i})
			if err != nil {
				return o, err
			}
			held, size = append(held, 100*s.Test), append(size, s.Size)
		}
		o.Numbers[how.name+"coverage"], o.Numbers[how.name+"deviation"] = metric.Mean(held), metric.SD(held)
		o.Numbers[how.name+"size"] = metric.Mean(size)
	}
	return o, nil
}

// shuffled is a list in an order that is a function of seed.
func shuffled(list []int32, seed uint64) []int32 {
	for i := len(list) - 1; i > 0; i-- {
		k := mat.Mix(seed, uint64(i)) % uint64(i+1)
		list[i], list[k] = list[k], list[i]
	}
	return list
}
