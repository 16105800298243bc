package nodes

import (
	"math"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/tabular"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// sets is the goal of telling all classes of every node, any number of them. A class is the answer where its logit is
// above 0, its probability above 1/2.
type sets struct {
	dataset.Labels
	share []float64 // of the training nodes that have a class
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
	return m.Sets(metric.Sets{Logits: z, Classes: len(g.Names), Values: g.Values, Pick: nodes})
}

func (g *sets) plain(name string, z []mat.Real, nodes []int32) float64 {
	return g.measure(name, z, nodes)
}

// constant is the classes that most training nodes have, or the most frequent one.
func (g *sets) constant() []mat.Real {
	row, top := make([]mat.Real, len(g.share)), 0
	for c, p := range g.share {
		row[c] = mat.Real(logit(min(max(p, 1e-6), 1-1e-6)))
		if p > g.share[top] {
			top = c
		}
	}
	row[top] = max(row[top], 1e-3)
	return row
}

func (g *sets) always() string { return strconv.Quote(g.said(g.constant())) }

// said are the classes of a row of logits.
func (g *sets) said(z []mat.Real) string {
	var names []string
	for c, x := range z {
		if x > 0 {
			names = append(names, g.Names[c])
		}
	}
	return strings.Join(names, tabular.SetSeparator)
}

func (g *sets) calibrate([]mat.Real, dataset.Split, string) {}
func (g *sets) calibration() *run.Calibration               { return nil }
func (g *sets) recall(*run.Calibration)                     {}
func (g *sets) answer(z []mat.Real) int32                   { return metric.Argmax(z) }
func (g *sets) probability(z ad.Var) ad.Var                 { return z.Sigmoid() }

func (g *sets) fill(p *Prediction, v int32, z, probability []mat.Real) {
	p.Class = g.said(z)
	p.Probabilities = byName(g.Names, probability)
	if label(g.Labels, v) >= 0 {
		k := len(g.Names)
		p.Label = g.said(g.Values[int(v)*k : int(v+1)*k])
	}
}

func (g *sets) columns() []string           { return []string{"classes"} }
func (g *sets) cells(p Prediction) []string { return []string{p.Class} }
