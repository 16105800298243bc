package node

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// calibrate finds the temperature (Guo et al. 2017) that minimises the log loss of the validation nodes and, for two
// classes, the threshold that maximises on them the metric by, or macro F1 where by does not depend on one, or that
// costs least where train.cost is set. Where by is the accuracy, the larger probability decides.
func (c *classes) calibrate(z []mat.Real, s dataset.Split, by string) {
	c.found = train.Calibration{Temperature: 1}
	if len(s.Valid) == 0 || len(c.Names) < 2 {
		return
	}
	before := c.measure("ece", z, s.Test)
	c.found.Temperature = c.temperature(z, s.Valid)
	c.found.Before, c.found.After = metric.Nullable(before), metric.Nullable(c.measure("ece", z, s.Test))
	if len(c.Names) == 2 && c.cost != (cost{}) {
		rare, _ := c.rare()
		if c.found.Threshold = c.threshold(z, s.Valid, c.cost.saved(rare)); c.found.Threshold > 0 {
			c.found.By = "cost"
		}
		return
	}
	if len(c.Names) == 2 && by != "accuracy" {
		if m, _ := metric.ByName(by); m.Answers == nil {
			by = "macro_f1"
		}
		m, _ := metric.ByName(by)
		if c.found.Threshold = c.threshold(z, s.Valid, m.Answers); c.found.Threshold > 0 {
			c.found.By = by
		}
	}
}

// The temperatures that are looked at.
const coolest, hottest = 0.02, 50

// passes is the maximum number of Newton steps and bisections: bisections alone determine log T to 1e-11.
const passes = 40

// temperature minimises the log loss of z/T over nodes, which is convex in b = 1/T, by Newton's method on its slope,
// kept between a b of negative slope and one of positive slope; a step that does not halve the slope is followed by a
// bisection. Targets are smoothed as Platt (1999) does, by one node of n+2 that is wrong: where all nodes are right the
// temperature would be 0 otherwise, and every probability 1.
func (c *classes) temperature(z []mat.Real, nodes []int32) float64 {
	m := &moments{classes: c, z: z, nodes: nodes, sums: make([][2]float64, (len(nodes)+momentsOf-1)/momentsOf)}
	lo, hi, b, last := 1/float64(hottest), 1/coolest, 1.0, math.Inf(1)
	if slope, _ := m.at(hi); slope <= 0 {
		return coolest
	}
	if slope, _ := m.at(lo); slope >= 0 {
		return hottest
	}
	for range passes {
		slope, curve := m.at(b)
		if slope > 0 {
			hi = b
		} else {
			lo = b
		}
		next := b - slope/curve
		if math.Abs(next-b) <= 1e-10*b {
			return 1 / next
		}
		if !(lo < next && next < hi) || math.Abs(slope) > last/2 {
			next = math.Sqrt(lo * hi)
		}
		b, last = next, math.Abs(slope)
	}
	return 1 / b
}

// moments sums the derivatives of the log loss by b = 1/T over nodes, in pieces whose sums are added in order. With
// probabilities p_j = exp(b z_j) / Σ_i exp(b z_i) and smoothed targets t_j, the derivatives for a node are
//
//	slope = Σ_j (p_j − t_j) z_j        curve = Σ_j p_j z_j² − (Σ_j p_j z_j)²
type moments struct {
	*classes
	z     []mat.Real
	nodes []int32
	b     float64
	sums  [][2]float64 // of every piece
}

// momentsOf is how many nodes are one piece.
const momentsOf = 512

// at returns the slope and the curve at b.
func (m *moments) at(b float64) (slope, curve float64) {
	m.b = b
	kernel.Each(len(m.sums), m)
	for _, s := range m.sums {
		slope += s[0]
		curve += s[1]
	}
	return slope, curve
}

// Do sums over a piece.
func (m *moments) Do(piece int) {
	k, wrong := len(m.Names), 1/float64(len(m.nodes)+2)
	slope, curve := 0.0, 0.0
	for _, v := range m.nodes[piece*momentsOf : min((piece+1)*momentsOf, len(m.nodes))] {
		row := m.z[int(v)*k : int(v+1)*k]
		top, exps, first, second, all := float64(slices.Max(row)), 0.0, 0.0, 0.0, 0.0
		for _, x := range row {
			d := float64(x) - top
			e := math.Exp(m.b * d)
			exps += e
			first += e * d
			second += e * d * d
			all += d
		}
		own := float64(row[m.Class[v]]) - top
		mean := first / exps
		slope += mean - ((1-wrong)*own + wrong*(all-own)/float64(k-1))
		curve += second/exps - mean*mean
	}
	m.sums[piece] = [2]float64{slope, curve}
}

// threshold returns the probability of the second class, halfway between the probabilities of two nodes, that is best
// by a measure of answers: among ties the one nearest to 1/2, and 0 if all nodes have the same probability.
func (c *classes) threshold(z []mat.Real, nodes []int32, by func(metric.Counts) float64) float64 {
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
	hits, wrong := 0, 0 // of nodes above the threshold
	for i, x := range list {
		if x.second {
			hits++
		} else {
			wrong++
		}
		if i+1 < len(list) && list[i+1].p < x.p {
			missed, others := seconds-hits, len(list)-seconds-wrong
			score := by(metric.Counts{{Hit: others, Wrong: missed, Missed: wrong},
				{Hit: hits, Wrong: wrong, Missed: missed}})
			p := (x.p + list[i+1].p) / 2
			if score > best || score == best && math.Abs(p-0.5) < math.Abs(at-0.5) {
				at, best = p, score
			}
		}
	}
	return at
}
