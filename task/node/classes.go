package node

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// classes is the goal of predicting the single class of every node.
type classes struct {
	dataset.Labels
	train  []int32
	weight []mat.Real // of every class in the loss; nil for all alike
	counts []float64  // of training nodes
	found  train.Calibration
	cost   cost               // zero if the costs of mistakes are not set
	of     metric.Predictions // but for logits and nodes
}

func newClasses(d *dataset.Dataset, s dataset.Split, c config.Train) (*classes, error) {
	g := &classes{Labels: d.Labels, train: s.Train, counts: make([]float64, len(d.Labels.Names)),
		of: metric.Predictions{Classes: len(d.Labels.Names), Labels: d.Labels.Class}}
	for _, v := range s.Train {
		g.counts[g.Class[v]]++
	}
	var err error
	if c.Cost != "" {
		if len(g.Names) != 2 {
			return nil, &train.BadSetting{Key: "train.cost", Value: c.Cost,
				Want: fmt.Sprintf("nothing: it is for two classes, and there are %d", len(g.Names))}
		}
		if g.cost, err = parseCost(c.Cost); err != nil {
			return nil, err
		}
	}
	g.weight, err = g.weights(c.ClassWeight.Word, c.ClassWeight.By)
	return g, err
}

func (c *classes) criterion(l upper.Criterion) (upper.Criterion, error) {
	if l == upper.Auto {
		return upper.CrossEntropy, nil
	}
	return l, nil
}

func (c *classes) target(nodes []int32) (upper.Target, error) {
	return c.targetOf(picked(c.Class, 1, nodes))
}

// targetOf returns the target of nodes of these classes, −1 for none.
func (c *classes) targetOf(class []int32) (upper.Target, error) {
	known := make([]int32, len(class))
	for v, y := range class {
		known[v] = max(0, y)
	}
	labels, err := mat.NewIndex(known, len(c.Names))
	if err != nil {
		return upper.Target{}, err
	}
	t := upper.Target{Class: labels}
	if c.weight != nil {
		w := make([]mat.Real, len(known))
		for v, y := range known {
			w[v] = c.weight[y]
		}
		t.Weight = mat.FromSlice(len(known), 1, w)
	}
	return t, nil
}

func (c *classes) task() metric.Task {
	if len(c.Names) == 2 {
		return metric.TaskTwoClasses
	}
	return metric.TaskClasses
}

func (c *classes) measure(name string, z []mat.Real, nodes []int32) float64 {
	return c.plain(name, c.judged(name, z), nodes)
}

func (c *classes) plain(name string, z []mat.Real, nodes []int32) float64 {
	if len(nodes) == 0 {
		return math.NaN()
	}
	p := c.of
	p.Logits, p.Pick = z, nodes
	m, _ := metric.ByName(name) // chooseMetric has looked
	return m.Nodes(p)
}

// judged returns the logits that a metric uses: for answers, logits whose largest entry is the answer by the
// threshold; for probabilities, logits divided by the temperature; z itself if that is the same.
func (c *classes) judged(name string, z []mat.Real) []mat.Real {
	scale, shift := mat.Real(1), mat.Real(0)
	switch m, _ := metric.ByName(name); {
	case m.Answers != nil && c.found.Threshold > 0:
		scale, shift = c.inverse(), mat.Real(-logit(c.found.Threshold))
	case m.Answers == nil && !(m.Order && len(c.Names) == 2):
		scale = c.inverse()
	}
	if scale == 1 && shift == 0 {
		return z
	}
	out := make([]mat.Real, len(z))
	for i, x := range z {
		out[i] = x * scale
		if i%len(c.Names) == 1 {
			out[i] += shift
		}
	}
	return out
}

// inverse returns 1/T.
func (c *classes) inverse() mat.Real {
	if c.found.Temperature == 0 {
		return 1
	}
	return mat.Real(1 / c.found.Temperature)
}

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// constant returns the logarithms of the shares of classes, a class that no training node has counting as half a
// node.
func (c *classes) constant() []mat.Real {
	row := make([]mat.Real, len(c.counts))
	for y, n := range c.counts {
		row[y] = mat.Real(math.Log(max(n, 0.5) / float64(len(c.train))))
	}
	return row
}

func (c *classes) always() string                     { return strconv.Quote(c.Names[metric.Argmax(c.constant())]) }
func (c *classes) decide([]mat.Real, []int32, string) {}
func (c *classes) calibration() *train.Calibration    { return &c.found }

func (c *classes) recall(found *train.Calibration) {
	if found != nil {
		c.found = *found
	}
}

// answer returns the class of a node by its logits.
func (c *classes) answer(z []mat.Real) int32 {
	if c.found.Threshold == 0 {
		return metric.Argmax(z)
	}
	return metric.Argmax([]mat.Real{z[0] * c.inverse(), z[1]*c.inverse() - mat.Real(logit(c.found.Threshold))})
}

func (c *classes) probability(z ad.Var) ad.Var {
	if b := c.inverse(); b != 1 {
		z = z.Scale(float64(b))
	}
	return z.Softmax()
}

func (c *classes) fill(p *Prediction, v int32, z, probability []mat.Real) {
	class := c.answer(z)
	p.Class, p.Probability = c.Names[class], float64(probability[class])
	p.Probabilities = byName(c.Names, probability)
	if y := label(c.Labels, v); y >= 0 {
		p.Label = c.Names[y]
	}
}

func (c *classes) columns() []string           { return []string{"class", "probability"} }
func (c *classes) cells(p Prediction) []string { return []string{p.Class, real32(p.Probability)} }

// weights returns how much a node of every class counts in the loss; nil if all nodes count alike.
//
//	balanced:   w_c = n / (k n_c)    n training nodes, n_c of them of class c, k classes that there are
func (c *classes) weights(word string, by map[string]float64) ([]mat.Real, error) {
	each := make([]float64, len(c.Names))
	for y, name := range c.Names {
		each[y] = 1
		if w, ok := by[name]; ok {
			each[y] = w
		}
	}
	if err := c.known(by); err != nil {
		return nil, err
	}
	if word == "balanced" {
		there := 0 // classes that training nodes have; each gets the same weight in all
		for _, n := range c.counts {
			if n > 0 {
				there++
			}
		}
		for y, n := range c.counts {
			if n > 0 {
				each[y] = float64(len(c.train)) / (float64(there) * n)
			}
		}
	}
	alike := true
	for _, y := range c.Class {
		alike = alike && (y < 0 || each[y] == each[0])
	}
	if alike {
		return nil, nil
	}
	w := make([]mat.Real, len(each))
	for y, x := range each {
		w[y] = mat.Real(x)
	}
	return w, nil
}

// known returns a *train.BadSetting for a weight of an unknown class, or an invalid weight.
func (c *classes) known(by map[string]float64) error {
	for name, w := range by {
		if !slices.Contains(c.Names, name) {
			return &train.BadSetting{Key: "train.class_weight", Value: name, Want: "a class: " + listed(c.Names, 12)}
		}
		if !(w > 0 && w <= 1e30) {
			return &train.BadSetting{Key: "train.class_weight." + name, Value: strconv.FormatFloat(w, 'g', -1, 64),
				Want: "a number above 0"}
		}
	}
	return nil
}

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
