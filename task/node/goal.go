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

// goal is what labels are to a task: what the loss compares predictions with, what is measured, and what predictions
// mean. Rows of z, the predictions of the network, are for all nodes.
type goal interface {
	// criterion is the given one, of the config, or for upper.Auto the one that suits; the error is a *train.BadSetting
	// where the given one does not suit.
	criterion(upper.Criterion) (upper.Criterion, error)
	// target is what the loss compares with, a row for every one of some nodes; nil means all.
	target(nodes []int32) (upper.Target, error)
	// task is what is measured: its metrics are those that the table of metrics has for it.
	task() metric.Task
	// measure is a metric of some nodes.
	measure(name string, z []mat.Real, nodes []int32) float64
	// plain is measure without what calibrate has found.
	plain(name string, z []mat.Real, nodes []int32) float64
	// constant is the answer, a row of z, that is best for all training nodes alike.
	constant() []mat.Real
	// always is what it says, as in: always "no".
	always() string
	// decide finds, on some nodes, from which probability on a class of a set is an answer, as a metric likes it best;
	// where the most probable class is the answer there is nothing to find. Afterwards measure goes by it.
	decide(z []mat.Real, nodes []int32, by string)
	// calibrate looks at the validation nodes. Afterwards measure and fill go by what it has found.
	calibrate(z []mat.Real, s dataset.Split, by string)
	// calibration is what it has found; nil where there is nothing to find.
	calibration() *train.Calibration
	// recall takes up what a run had found.
	recall(*train.Calibration)
	// answer is the column that a row of z stands for.
	answer(z []mat.Real) int32
	// probability is what z says, as probabilities of the columns; the zero Var where it says none.
	probability(z ad.Var) ad.Var
	// fill writes what rows of z and of probabilities say about node v, −1 for a new one, into p.
	fill(p *Prediction, v int32, z, probability []mat.Real)
	// columns are the names of the answer's columns in a table, and cells what stands in them.
	columns() []string
	cells(p Prediction) []string
}

// newGoal is the goal of the labels of d.
func newGoal(d *dataset.Dataset, s dataset.Split, c config.Train) (goal, error) {
	switch d.Labels.Task {
	case dataset.Sets:
		return newSets(d, s), nil
	case dataset.Numbers:
		return newNumbers(d, s, c)
	}
	return newClasses(d, s, c)
}

// only is c where it is one of the named criteria, else a *train.BadSetting.
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

// picked are the rows of x, k numbers each, of some nodes; nil means all.
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

// byName are numbers under their names.
func byName(names []string, row []mat.Real) map[string]float64 {
	by := make(map[string]float64, len(names))
	for i, name := range names {
		by[name] = float64(row[i])
	}
	return by
}

// chooseMetric is the metric of a name that filled has checked; auto stands for the metric of the data set, or where
// the goal does not have it for the first of the goal.
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
