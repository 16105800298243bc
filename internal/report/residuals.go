package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task/node"
)

// ofClasses reports whether nodes have one class each, which much of a page is about.
func (r *Run) ofClasses() bool { return r.Trained.Data.Labels.Task == "" }

// valueBins is the number of groups of nodes, similar in size, that predictions are averaged over.
const valueBins = 10

// residuals returns how far predicted numbers are from true ones: the mean of the truth for similar predictions, and
// the distribution of the differences.
func (r *Run) residuals() []*show.Chart {
	if r.Trained.Data.Labels.Task != dataset.Numbers || len(r.values) == 0 {
		return nil
	}
	return present(r.truthByPrediction(), r.differences())
}

// truthByPrediction returns the mean of true numbers over nodes by what is predicted.
func (r *Run) truthByPrediction() *show.Chart {
	part, _ := r.measured()
	all := slices.Clone(r.values)
	slices.SortFunc(all, func(a, b valued) int { return cmp.Compare(a.got, b.got) })
	c := show.Curve{Name: "this model", Ink: show.Series(0), Marks: true}
	for b := range valueBins {
		group := all[b*len(all)/valueBins : (b+1)*len(all)/valueBins]
		if len(group) == 0 {
			continue
		}
		got, want := 0.0, 0.0
		for _, x := range group {
			got, want = got+x.got/float64(len(group)), want+x.want/float64(len(group))
		}
		c.X, c.Y = append(c.X, got), append(c.Y, want)
	}
	lo, hi := c.X[0], c.X[len(c.X)-1]
	right := show.Curve{Name: "right on average", Ink: show.Series(-1), Dash: true, X: []float64{lo, hi},
		Y: []float64{lo, hi}}
	axes := show.Axes{Below: "predicted " + r.Trained.Data.Labels.Names[0]}
	return show.LineChart("True by predicted", axes, right, c).
		Saying(fmt.Sprintf("The %s nodes in ten groups by what is predicted: the mean of what is true.", part))
}

// differences returns the histogram of true − predicted.
func (r *Run) differences() *show.Chart {
	part, _ := r.measured()
	far := 0.0
	var off []float64
	for _, x := range r.values {
		off = append(off, x.want-x.got)
		far = max(far, math.Abs(x.want-x.got))
	}
	return show.Histogram("Nodes by residual", show.Axes{Below: "true − predicted"}, -far, far, histogramBins,
		show.Group{Name: "nodes", Ink: show.Series(0), Values: off}).
		Saying(fmt.Sprintf("How far the predictions for the %s nodes are off.", part))
}

// valued is a node with its predicted and its true number.
type valued struct{ got, want float64 }

// compare keeps the predictions for the measured nodes if they are numbers.
func (r *Run) compare(p *node.Predictions) {
	_, list := r.measured()
	for x := range p.Only(list).Each {
		if x.Value != nil {
			want := r.Trained.Data.Labels.Values[list[len(r.values)]]
			r.values = append(r.values, valued{*x.Value, float64(want)})
		}
	}
}
