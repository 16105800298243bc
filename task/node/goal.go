package node

import (
	"reflect"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
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
		return "", &train.BadSetting{Key: "train.metric", Value: name, Want: oneOf(known)}
	}
	return name, nil
}
