package node

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fit"
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

// temperature minimises the log loss of z/T over nodes, which is convex in b = 1/T. Targets are smoothed as Platt
// (1999) does, by one node of n+2 that is wrong: where all nodes are right the temperature would be 0 otherwise, and
// every probability 1.
func (c *classes) temperature(z []mat.Real, nodes []int32) float64 {
	m := &moments{classes: c, z: z, nodes: nodes, sums: make([][2]float64, (len(nodes)+momentsOf-1)/momentsOf)}
	return 1 / fit.Scale(m.at)
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

// threshold returns the probability of the second class above which it is the answer, the best by a measure of answers.
func (c *classes) threshold(z []mat.Real, nodes []int32, by func(metric.Counts) float64) float64 {
	list := make([]fit.Told, len(nodes))
	for i, v := range nodes {
		odds := (float64(z[2*v+1]) - float64(z[2*v])) / c.found.Temperature
		list[i] = fit.Told{P: fit.Sigmoid(odds), Is: c.Class[v] == 1}
	}
	return fit.Threshold(list, by)
}
