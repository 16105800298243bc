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

// sets is the goal of predicting all classes of every node, any number of them. A class is an answer if its
// probability is above a threshold. If probabilities are right, the threshold with the best micro F1 is the same for
// all classes (half of that F1), and lies below 1/2 if nodes have few of the classes; thresholds of single classes
// are used if they are better for nodes that did not choose them.
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
	return m.Sets(metric.Sets{Logits: g.above(z), Classes: len(g.Names), Values: g.Values, Pick: nodes})
}

// above returns z less the logit of the threshold of each class: what is above 0 is an answer. It is z itself if all
// thresholds are 1/2.
func (g *sets) above(z []mat.Real) []mat.Real {
	if g.found.Threshold == 0 || g.found.Threshold == 0.5 && g.found.Thresholds == nil {
		return z
	}
	k, least, out := len(g.Names), make([]mat.Real, len(g.Names)), make([]mat.Real, len(z))
	for c := range least {
		least[c] = g.least(c)
	}
	for i, x := range z {
		out[i] = x - least[i%k]
	}
	return out
}

func (g *sets) plain(name string, z []mat.Real, nodes []int32) float64 {
	return (&sets{Labels: g.Labels}).measure(name, z, nodes)
}

// constant returns the most frequent classes, the number of them that has the best F1 of all decisions as the answer
// for all training nodes:
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

func (g *sets) always() string { return strconv.Quote(g.said(g.constant())) }

// least returns the logit above which class c is an answer.
func (g *sets) least(c int) mat.Real {
	switch {
	case g.found.Threshold == 0:
		return 0
	case len(g.found.Thresholds) == len(g.Names):
		return mat.Real(logit(g.found.Thresholds[c]))
	}
	return mat.Real(logit(g.found.Threshold))
}

// said returns the classes of a row of numbers that are above 0.
func (g *sets) said(z []mat.Real) string {
	var names []string
	for c, x := range z {
		if x > 0 {
			names = append(names, g.Names[c])
		}
	}
	return strings.Join(names, dataset.SetSeparator)
}

// leastDecided is the minimum number of nodes for thresholds per class.
const leastDecided = 40

// calibrate uses thresholds of single classes if the thresholds that one half of the nodes chooses are better for the
// other half than the common threshold, both ways together.
func (g *sets) calibrate(z []mat.Real, s dataset.Split, by string) {
	g.decide(z, s.Valid, by)
	if len(s.Valid) < leastDecided {
		return
	}
	var halves [2][]int32
	for i, v := range s.Valid {
		halves[i%2] = append(halves[i%2], v)
	}
	m, gain := g.deciding(by), 0.0
	for i, half := range halves {
		other := reachedCounts(g.reached(z, halves[1-i]), len(g.Names))
		common, single := other.at(g.common(z, half, m)), other.at(g.single(z, half, m))
		gain += m.Answers(single) - m.Answers(common)
	}
	if gain <= 0 {
		return
	}
	for _, i := range g.single(z, s.Valid, m) {
		g.found.Thresholds = append(g.found.Thresholds, float64(i)/thresholds)
	}
}

// deciding returns the metric of answers that thresholds are chosen by.
func (g *sets) deciding(by string) metric.Metric {
	m, _ := metric.ByName(by)
	if m.Answers == nil {
		m, _ = metric.ByName("micro_f1")
	}
	return m
}

// common returns the common threshold of all classes that is best for nodes, in hundredths.
func (g *sets) common(z []mat.Real, nodes []int32, m metric.Metric) []int {
	r, best, at := reachedCounts(g.reached(z, nodes), len(g.Names)), math.Inf(-1), 0
	for i := 1; i < thresholds; i++ {
		if x := m.Answers(r.at(slices.Repeat([]int{i}, len(g.Names)))); x > best {
			best, at = x, i
		}
	}
	return slices.Repeat([]int{at}, len(g.Names))
}

// single returns a threshold per class, in hundredths: starting from the common threshold, one class after the other
// takes the threshold that is best given the others.
func (g *sets) single(z []mat.Real, nodes []int32, m metric.Metric) []int {
	r, at := reachedCounts(g.reached(z, nodes), len(g.Names)), g.common(z, nodes, m)
	now := r.at(at)
	for c := range at {
		best := m.Answers(now)
		for i := 1; i < thresholds; i++ {
			before := now[c]
			now[c] = r[c][i]
			if x := m.Answers(now); x > best {
				best, at[c] = x, i
			} else {
				now[c] = before
			}
		}
	}
	return at
}

// cumulative are the counts of every class for every threshold, in hundredths.
type cumulative [][]metric.Count

// reachedCounts returns the counts of answers above every threshold.
func reachedCounts(reached []metric.Count, k int) cumulative {
	r := make(cumulative, k)
	for c := range r {
		r[c] = make([]metric.Count, thresholds)
		has := 0
		for _, x := range reached[c*thresholds:][:thresholds] {
			has += x.Hit
		}
		sum := metric.Count{Missed: has}
		for i := thresholds - 1; i >= 0; i-- {
			x := reached[c*thresholds+i]
			sum.Hit, sum.Wrong, sum.Missed = sum.Hit+x.Hit, sum.Wrong+x.Wrong, sum.Missed-x.Hit
			r[c][i] = sum
		}
	}
	return r
}

// at returns the counts of all classes at a threshold of each.
func (r cumulative) at(i []int) metric.Counts {
	counts := make(metric.Counts, len(r))
	for c := range r {
		counts[c] = r[c][i[c]]
	}
	return counts
}

// thresholds are hundredths: 1/100 to 99/100.
const thresholds = 100

// decide takes the threshold that is best on some nodes by a metric of answers, or by micro F1; among ties the one
// nearest to 1/2.
func (g *sets) decide(z []mat.Real, nodes []int32, by string) {
	if m, _ := metric.ByName(by); m.Answers == nil {
		by = "micro_f1"
	}
	m := g.deciding(by)
	none := metric.Nullable(math.NaN())
	g.found = train.Calibration{Temperature: 1, Before: none, After: none}
	if len(nodes) == 0 {
		return
	}
	k := len(g.Names)
	r, now := reachedCounts(g.reached(z, nodes), k), make([]int, k)
	best := math.Inf(-1)
	for i := thresholds - 1; i > 0; i-- {
		for c := range now {
			now[c] = i
		}
		p := float64(i) / thresholds
		score := m.Answers(r.at(now))
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
	p.Class = g.said(g.above(z))
	p.Probabilities = byName(g.Names, probability)
	if label(g.Labels, v) >= 0 {
		k := len(g.Names)
		p.Label = g.said(g.Values[int(v)*k : int(v+1)*k])
	}
}

func (g *sets) columns() []string           { return []string{"classes"} }
func (g *sets) cells(p Prediction) []string { return []string{p.Class} }
