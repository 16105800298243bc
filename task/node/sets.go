package node

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// sets is the goal of telling all classes of every node, any number of them. A class is an answer where its probability
// is above a threshold, the same for all classes: that of the validation nodes' best micro F1 where probabilities are
// right is the same for all (half of that F1), and lies below 1/2 where nodes have few of the classes.
type sets struct {
	dataset.Labels
	share []float64         // of the training nodes that have a class
	found train.Calibration // but for the threshold nothing; a threshold of 0 is one of 1/2
}

func newSets(d *dataset.Dataset, s dataset.Split) *sets {
	k := len(d.Labels.Names)
	g := &sets{Labels: d.Labels, share: make([]float64, k)}
	for _, v := range s.Train {
		for c := range k {
			g.share[c] += float64(d.Labels.Values[int(v)*k+c]) / float64(len(s.Train))
		}
	}
	return g
}

func (g *sets) criterion(c upper.Criterion) (upper.Criterion, error) {
	if c == upper.Auto {
		return upper.Binary, nil
	}
	return only(c, "sets of classes", "binary")
}

func (g *sets) target(nodes []int32) (upper.Target, error) {
	y, k := picked(g.Values, len(g.Names), nodes), len(g.Names)
	return upper.Target{Value: mat.FromSlice(len(y)/k, k, y)}, nil
}

func (g *sets) task() metric.Task { return metric.TaskSets }

func (g *sets) measure(name string, z []mat.Real, nodes []int32) float64 {
	if len(nodes) == 0 {
		return math.NaN()
	}
	m, _ := metric.ByName(name)
	return m.Sets(metric.Sets{Logits: z, Least: g.least(), Classes: len(g.Names), Values: g.Values, Pick: nodes})
}

func (g *sets) plain(name string, z []mat.Real, nodes []int32) float64 {
	return (&sets{Labels: g.Labels}).measure(name, z, nodes)
}

// constant is the most frequent classes, as many of them as have the best F1 of all decisions when they are the answer
// to all training nodes:
//
//	2 Σ_c≤m p_c / (m + Σ_c p_c)        p the shares of nodes that have a class, in descending order
func (g *sets) constant() []mat.Real {
	p := slices.Clone(g.share)
	slices.Sort(p)
	slices.Reverse(p)
	all, sum, best, least := 0.0, 0.0, -1.0, 0.0
	for _, x := range p {
		all += x
	}
	for m, x := range p {
		sum += x
		if f := sum / (float64(m+1) + all); f > best {
			best, least = f, x
		}
	}
	row := make([]mat.Real, len(p))
	for c, x := range g.share {
		row[c] = mat.Real(x - least)
		if x >= least {
			row[c] += 1
		}
	}
	return row
}

func (g *sets) always() string { return strconv.Quote(g.said(g.constant(), 0)) }

// least is the logit above which a class is an answer.
func (g *sets) least() mat.Real {
	if g.found.Threshold == 0 {
		return 0
	}
	return mat.Real(logit(g.found.Threshold))
}

// said are the classes of a row of numbers that are above one.
func (g *sets) said(z []mat.Real, least mat.Real) string {
	var names []string
	for c, x := range z {
		if x > least {
			names = append(names, g.Names[c])
		}
	}
	return strings.Join(names, dataset.SetSeparator)
}

func (g *sets) calibrate(z []mat.Real, s dataset.Split, by string) { g.decide(z, s.Valid, by) }

// thresholds are hundredths: 1/100 to 99/100.
const thresholds = 100

// decide takes the threshold that is best on some nodes by a metric of answers, or by micro F1; of several that are
// equal the one nearest to 1/2.
func (g *sets) decide(z []mat.Real, nodes []int32, by string) {
	m, _ := metric.ByName(by)
	if m.Answers == nil {
		by = "micro_f1"
		m, _ = metric.ByName(by)
	}
	none := metric.Nullable(math.NaN())
	g.found = train.Calibration{Temperature: 1, Before: none, After: none}
	if len(nodes) == 0 {
		return
	}
	k := len(g.Names)
	reached, now := g.reached(z, nodes), make(metric.Counts, k)
	for c := range now {
		for _, x := range reached[c*thresholds:][:thresholds] {
			now[c].Missed += x.Hit
		}
	}
	best := math.Inf(-1)
	for i := thresholds - 1; i > 0; i-- {
		for c := range now {
			x := reached[c*thresholds+i]
			now[c].Hit, now[c].Wrong, now[c].Missed = now[c].Hit+x.Hit, now[c].Wrong+x.Wrong, now[c].Missed-x.Hit
		}
		p := float64(i) / thresholds
		score := m.Answers(now)
		if score > best || score == best && math.Abs(p-0.5) < math.Abs(g.found.Threshold-0.5) {
			best, g.found.Threshold, g.found.By = score, p, by
		}
	}
}

// reached are, of every class and for every threshold, how many nodes with and without the class have a probability
// above that one and not above the next.
func (g *sets) reached(z []mat.Real, nodes []int32) []metric.Count {
	k := len(g.Names)
	all := make([]metric.Count, k*thresholds)
	for _, v := range nodes {
		for c := range k {
			at := int(v)*k + c
			p := 1 / (1 + math.Exp(-float64(z[at])))
			x := &all[c*thresholds+max(0, int(math.Ceil(p*thresholds))-1)]
			if g.Values[at] > 0 {
				x.Hit++
			} else {
				x.Wrong++
			}
		}
	}
	return all
}

func (g *sets) calibration() *train.Calibration { return &g.found }

func (g *sets) recall(found *train.Calibration) {
	if found != nil {
		g.found = *found
	}
}

func (g *sets) answer(z []mat.Real) int32   { return metric.Argmax(z) }
func (g *sets) probability(z ad.Var) ad.Var { return z.Sigmoid() }

func (g *sets) fill(p *Prediction, v int32, z, probability []mat.Real) {
	p.Class = g.said(z, g.least())
	p.Probabilities = byName(g.Names, probability)
	if label(g.Labels, v) >= 0 {
		k := len(g.Names)
		p.Label = g.said(g.Values[int(v)*k:int(v+1)*k], 0)
	}
}

func (g *sets) columns() []string           { return []string{"classes"} }
func (g *sets) cells(p Prediction) []string { return []string{p.Class} }
