package node

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// goal defines the meaning of labels for a task: what the loss compares predictions with, what is measured, and what
// predictions mean. Rows of z, the predictions of the network, are for all nodes.
type goal interface {
	// criterion returns the given criterion, or for upper.Auto the default for the goal; the error is a
	// *train.BadSetting if the given one does not suit the goal.
	criterion(upper.Criterion) (upper.Criterion, error)
	// target returns what the loss compares with, a row for each of some nodes; nil means all nodes.
	target(nodes []int32) (upper.Target, error)
	// task returns the task whose metrics in the table of metrics apply.
	task() metric.Task
	// measure returns a metric of some nodes.
	measure(name string, z []mat.Real, nodes []int32) float64
	// plain is measure without what calibrate has found.
	plain(name string, z []mat.Real, nodes []int32) float64
	// constant returns the answer, a row of z, that is best for all training nodes alike.
	constant() []mat.Real
	// always returns the constant answer as text, as in: always "no".
	always() string
	// decide finds, on some nodes, the probability above which a class of a set is an answer, by the best value of a
	// metric; if the most probable class is the answer there is nothing to find. Afterwards measure uses it.
	decide(z []mat.Real, nodes []int32, by string)
	// calibrate looks at the validation nodes. Afterwards measure and fill use what it has found.
	calibrate(z []mat.Real, s dataset.Split, by string)
	// calibration returns what was found; nil if there is nothing to find.
	calibration() *train.Calibration
	// recall takes up what a run had found.
	recall(*train.Calibration)
	// answer returns the column that a row of z predicts.
	answer(z []mat.Real) int32
	// probability returns z as probabilities of the columns; the zero Var if z has no probabilities.
	probability(z ad.Var) ad.Var
	// fill writes what rows of z and of probabilities say about node v, −1 for a new one, into p.
	fill(p *Prediction, v int32, z, probability []mat.Real)
	// columns returns the names of the answer's columns in a table, and cells what stands in them.
	columns() []string
	cells(p Prediction) []string
}

// newGoal returns the goal of the labels of d.
func newGoal(d *dataset.Dataset, s dataset.Split, c config.Train) (goal, error) {
	switch d.Labels.Task {
	case dataset.Sets:
		return newSets(d, s), nil
	case dataset.Numbers:
		return newNumbers(d, s, c), nil
	}
	return newClasses(d, s, c)
}

// only returns c if it is one of the named criteria, otherwise a *train.BadSetting.
func only(c upper.Criterion, of string, names ...string) (upper.Criterion, error) {
	name := ""
	for _, p := range upper.Criteria.Parts {
		if reflect.TypeOf(p.New) == reflect.TypeOf(c) {
			name = p.Name
		}
	}
	if !slices.Contains(names, name) {
		return nil, &train.BadSetting{Key: "train.loss", Value: name,
			Want: "auto or " + strings.Join(names, " or ") + ", as labels are " + of}
	}
	return c, nil
}

// picked returns the rows of x, k numbers each, of some nodes; nil means all.
func picked[T any](x []T, k int, nodes []int32) []T {
	if nodes == nil {
		return x
	}
	rows := make([]T, 0, len(nodes)*k)
	for _, v := range nodes {
		rows = append(rows, x[int(v)*k:int(v+1)*k]...)
	}
	return rows
}

// byName returns numbers under their names.
func byName(names []string, row []mat.Real) map[string]float64 {
	by := make(map[string]float64, len(names))
	for i, name := range names {
		by[name] = float64(row[i])
	}
	return by
}

// chooseMetric returns the metric of a name that filled has checked; auto means the metric of the data set or, if the
// goal does not have it, the first metric of the goal.
func chooseMetric(name string, d *dataset.Dataset, g goal) (string, error) {
	known := metric.Names(g.task())
	if name == "auto" {
		if name = d.Metric; !slices.Contains(known, name) {
			name = known[0]
		}
	}
	if !slices.Contains(known, name) {
		return "", &train.BadSetting{Key: "train.metric", Value: name, Want: keys.Either(known)}
	}
	return name, nil
}

// numbers is the goal of predicting a number y for every node. The network predicts
//
//	z = (f(y) − mean)/sd        f(y) = y, or log(y − b) if train.target is log
//
// with the mean and the deviation of f over the training nodes, and b, the fit.Floor of their labels. The answer is
// y = b + c·exp(mean + sd z) for logarithms, where c minimises the squared error on validation nodes.
type numbers struct {
	dataset.Labels
	log      bool
	floor    float64 // b; 0 without logarithms
	mean, sd float64
	most     float64            // no answer by logarithms has more above b than twice the largest training label has
	found    *train.Calibration // c; nil before it is known
}

// newNumbers returns the goal of the training nodes of s.
func newNumbers(d *dataset.Dataset, s dataset.Split, c config.Train) *numbers {
	g := &numbers{Labels: d.Labels, log: c.Target == "log"}
	var y []float64
	for _, v := range s.Train {
		y = append(y, float64(d.Labels.Values[v]))
	}
	if g.log && len(y) > 0 {
		g.floor = fit.Floor(y)
		g.most = 2 * (slices.Max(y) - g.floor)
	}
	for i, x := range y {
		y[i] = g.learnt(x)
	}
	if g.mean, g.sd = metric.Mean(y), metric.SD(y); g.sd == 0 {
		g.sd = 1
	}
	return g
}

// learnt returns f(y). A number without a logarithm, which is not trained on, is treated as one close to b.
func (g *numbers) learnt(y float64) float64 {
	if g.log {
		return math.Log(max(y-g.floor, math.SmallestNonzeroFloat32))
	}
	return y
}

// scaled returns z of a number, but for c.
func (g *numbers) scaled(y float64) mat.Real { return mat.Real((g.learnt(y) - g.mean) / g.sd) }

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
		y[v] = g.scaled(float64(x))
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
func (g *numbers) value(z mat.Real) float64 {
	x := g.mean + g.sd*float64(z)
	if !g.log {
		return x
	}
	return g.floor + min(math.Exp(x)*g.factor(), g.most)
}

// factor returns c, 1 before it is known and for numbers themselves.
func (g *numbers) factor() float64 {
	if g.found == nil {
		return 1
	}
	return g.found.Factor
}

func (g *numbers) constant() []mat.Real { return []mat.Real{0} }
func (g *numbers) always() string       { return fmt.Sprintf("%.4g", g.value(0)) }

// calibrate finds c = Σ y e / Σ e², e = exp(mean + sd z), unless the metric is the absolute error.
func (g *numbers) calibrate(z []mat.Real, s dataset.Split, by string) {
	g.found = nil
	if !g.log || len(s.Valid) == 0 || by == "mae" {
		return
	}
	cross, square := 0.0, 0.0
	for _, v := range s.Valid {
		e := g.value(z[v]) - g.floor
		cross, square = cross+e*(float64(g.Values[v])-g.floor), square+e*e
	}
	none := metric.Nullable(math.NaN())
	if c := cross / square; c > 0 && !math.IsInf(c, 0) {
		g.found = &train.Calibration{Temperature: 1, Factor: c, Before: none, After: none}
	}
}

func (g *numbers) decide([]mat.Real, []int32, string) {}
func (g *numbers) calibration() *train.Calibration    { return g.found }
func (g *numbers) answer([]mat.Real) int32            { return 0 }
func (g *numbers) probability(ad.Var) ad.Var          { return ad.Var{} }

func (g *numbers) recall(found *train.Calibration) {
	if g.log && found != nil && found.Factor > 0 {
		g.found = found
	}
}

func (g *numbers) fill(p *Prediction, v int32, z, _ []mat.Real) {
	x := g.value(z[0])
	p.Value = &x
	if label(g.Labels, v) >= 0 {
		p.Label = real32(float64(g.Values[v]))
	}
}

func (g *numbers) columns() []string           { return []string{"value"} }
func (g *numbers) cells(p Prediction) []string { return []string{real32(*p.Value)} }
