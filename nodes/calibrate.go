package nodes

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/nullable"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// calibrate finds the temperature (Guo et al. 2017) that minimises the log loss of the validation nodes and, for two
// classes, the threshold that maximises on them the metric by, or macro F1 where by does not depend on one. Where by is
// the accuracy, the larger probability decides.
func (c *classes) calibrate(z []mat.Real, s dataset.Split, by string) {
	c.found = run.Calibration{Temperature: 1}
	if len(s.Valid) == 0 || len(c.Names) < 2 {
		return
	}
	before := c.measure("ece", z, s.Test)
	c.found.Temperature = c.temperature(z, s.Valid)
	c.found.Before, c.found.After = nullable.Number(before), nullable.Number(c.measure("ece", z, s.Test))
	if len(c.Names) == 2 && by != "accuracy" {
		if !decides(by) {
			by = "macro_f1"
		}
		if c.found.Threshold = c.threshold(z, s.Valid, by); c.found.Threshold > 0 {
			c.found.By = by
		}
	}
}

// The temperatures that are looked at.
const coolest, hottest = 0.02, 50

// sections is the number of golden sections, which leave log T to 1e-9.
const sections = 50

// temperature minimises the log loss of z/T over nodes. In 1/T it is convex, so that in log T there is one
// minimum. Targets are smoothed as Platt (1999) does, by one node of n+2 that is wrong: where all nodes are right the
// temperature would be 0 otherwise, and every probability 1.
func (c *classes) temperature(z []mat.Real, nodes []int32) float64 {
	golden := (math.Sqrt(5) - 1) / 2
	lo, hi := math.Log(coolest), math.Log(hottest)
	for range sections {
		a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
		if c.lossAt(z, nodes, math.Exp(a)) <= c.lossAt(z, nodes, math.Exp(b)) {
			hi = b
		} else {
			lo = a
		}
	}
	return math.Exp((lo + hi) / 2)
}

// lossAt is the log loss of nodes at a temperature, with smoothed targets.
func (c *classes) lossAt(z []mat.Real, nodes []int32, temperature float64) float64 {
	k, sum := len(c.Names), 0.0
	wrong := 1 / float64(len(nodes)+2)
	for _, v := range nodes {
		row := z[int(v)*k : int(v+1)*k]
		top, exps, all := float64(slices.Max(row)), 0.0, 0.0
		for _, x := range row {
			exps += math.Exp((float64(x) - top) / temperature)
			all += float64(x) - top
		}
		own := float64(row[c.Class[v]]) - top
		sum += math.Log(exps) - ((1-wrong)*own+wrong*(all-own)/float64(k-1))/temperature
	}
	return sum
}

// threshold is the probability of the second class, halfway between those of two nodes, that is best by a metric of
// answers; of equal ones the one nearest to 1/2, and 0 where all nodes have the same.
func (c *classes) threshold(z []mat.Real, nodes []int32, by string) float64 {
	type node struct {
		p      float64
		second bool
	}
	list, seconds := make([]node, len(nodes)), 0
	for i, v := range nodes {
		odds := (float64(z[2*v+1]) - float64(z[2*v])) / c.found.Temperature
		list[i] = node{1 / (1 + math.Exp(-odds)), c.Class[v] == 1}
		if list[i].second {
			seconds++
		}
	}
	slices.SortFunc(list, func(a, b node) int { return cmp.Compare(b.p, a.p) })
	at, best := 0.0, math.Inf(-1)
	hits, wrong := 0, 0 // of those above the threshold
	for i, x := range list {
		if x.second {
			hits++
		} else {
			wrong++
		}
		if i+1 < len(list) && list[i+1].p < x.p {
			score := ofCounts(by, hits, wrong, seconds-hits, len(list)-seconds-wrong)
			p := (x.p + list[i+1].p) / 2
			if score > best || score == best && math.Abs(p-0.5) < math.Abs(at-0.5) {
				at, best = p, score
			}
		}
	}
	return at
}

// ofCounts is a metric of answers for two classes: nodes of the second that were found, nodes of the first that were
// taken for it, nodes of the second that were missed, and the others.
func ofCounts(by string, hits, wrong, missed, others int) float64 {
	share := func(a, b int) float64 { return float64(a) / max(1, float64(a+b)) }
	if by == "balanced_accuracy" {
		return (share(hits, missed) + share(others, wrong)) / 2
	}
	return (share(2*hits, wrong+missed) + share(2*others, wrong+missed)) / 2
}
