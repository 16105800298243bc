package node

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// numbers is the goal of telling a number of every node. The network predicts z = (y − mean)/sd, mean and deviation
// being those of the training nodes.
type numbers struct {
	dataset.Labels
	mean, sd float64
}

func newNumbers(d *dataset.Dataset, s dataset.Split) *numbers {
	var y []float64
	for _, v := range s.Train {
		y = append(y, float64(d.Labels.Values[v]))
	}
	g := &numbers{Labels: d.Labels, mean: metric.Mean(y), sd: metric.SD(y)}
	if g.sd == 0 {
		g.sd = 1
	}
	return g
}

func (g *numbers) criterion(c upper.Criterion) (upper.Criterion, error) {
	if c == upper.Auto {
		return upper.Squared, nil
	}
	return only(c, "numbers", "squared", "huber")
}

func (g *numbers) target(nodes []int32) (upper.Target, error) {
	values := picked(g.Values, 1, nodes)
	y := make([]mat.Real, len(values))
	for v, x := range values {
		y[v] = mat.Real((float64(x) - g.mean) / g.sd)
	}
	return upper.Target{Value: mat.FromSlice(len(y), 1, y)}, nil
}

func (g *numbers) task() metric.Task { return metric.TaskNumbers }

func (g *numbers) measure(name string, z []mat.Real, nodes []int32) float64 {
	n := metric.Numbers{Got: make([]float64, len(nodes)), Want: make([]float64, len(nodes))}
	for i, v := range nodes {
		n.Got[i], n.Want[i] = g.value(z[v]), float64(g.Values[v])
	}
	m, _ := metric.ByName(name)
	return m.Numbers(n)
}

func (g *numbers) plain(name string, z []mat.Real, nodes []int32) float64 {
	return g.measure(name, z, nodes)
}

// value puts a prediction back into the unit of the data.
func (g *numbers) value(z mat.Real) float64 { return g.mean + g.sd*float64(z) }

func (g *numbers) constant() []mat.Real { return []mat.Real{0} }
func (g *numbers) always() string       { return fmt.Sprintf("the mean %.4g", g.mean) }

func (g *numbers) calibrate([]mat.Real, dataset.Split, string) {}
func (g *numbers) decide([]mat.Real, []int32, string)          {}
func (g *numbers) calibration() *train.Calibration             { return nil }
func (g *numbers) recall(*train.Calibration)                   {}
func (g *numbers) answer([]mat.Real) int32                     { return 0 }
func (g *numbers) probability(ad.Var) ad.Var                   { return ad.Var{} }

func (g *numbers) fill(p *Prediction, v int32, z, _ []mat.Real) {
	x := g.value(z[0])
	p.Value = &x
	if label(g.Labels, v) >= 0 {
		p.Label = real32(float64(g.Values[v]))
	}
}

func (g *numbers) columns() []string           { return []string{"value"} }
func (g *numbers) cells(p Prediction) []string { return []string{real32(*p.Value)} }
