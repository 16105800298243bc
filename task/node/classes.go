package node

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
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

func (c *classes) always() string { return strconv.Quote(c.Names[metric.Argmax(c.constant())]) }

func (c *classes) decide([]mat.Real, []int32, string) {}

func (c *classes) calibration() *train.Calibration { return &c.found }

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
