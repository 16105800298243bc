package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/node"
)

// measured returns the part of the split that predictions are judged on: test, or the best substitute.
func (r *Run) measured() (part string, nodes []int32) {
	s := r.Trained.Split
	switch {
	case len(s.Test) > 0:
		return "test", s.Test
	case r.folded != nil:
		return "labelled", r.folded
	case len(s.Valid) > 0:
		return "validation", s.Valid
	}
	return "training", s.Train
}

// judged returns charts of how good predictions are.
func (r *Run) judged() []*show.Chart {
	if !r.ofClasses() {
		return r.residuals()
	}
	return present(r.roc(), r.precisionRecall(), r.calibration())
}

// told returns the scores of the measured nodes for one of two classes, and which of them are of it.
func (r *Run) told(class int32) (part string, score []float64, positive []bool) {
	part, nodes := r.measured()
	for _, v := range nodes {
		if y := r.Trained.Data.Labels.Class[v]; y >= 0 {
			score = append(score, float64(r.logits[2*v+class])-float64(r.logits[2*v+1-class]))
			positive = append(positive, y == class)
		}
	}
	return part, score, positive
}

// precisionRecall returns the curve of precision by recall of the rarer of two classes, if that is rare: of the nodes
// above every threshold, the share that is of the class, by the share of the class that is among them.
func (r *Run) precisionRecall() *show.Chart {
	names, rare := r.Trained.Data.Labels.Names, r.Result.Rare
	if len(names) != 2 || rare == nil {
		return nil
	}
	class := int32(slices.Index(names, rare.Class))
	part, score, positive := r.told(class)
	wrong, found := roc(score, positive)
	c := show.Curve{Name: "this model", Ink: show.Series(0)}
	for i := range found[1:] {
		hits, others := found[i+1]*rare.Share, wrong[i+1]*(1-rare.Share)
		c.X, c.Y = append(c.X, found[i+1]), append(c.Y, hits/(hits+others))
	}
	chance := show.Curve{Name: "chance", Ink: show.Series(-1), Dash: true, X: []float64{0, 1},
		Y: []float64{rare.Share, rare.Share}}
	a := show.Axes{Below: "share of " + rare.Class + " that is found", X: show.Percent, Y: show.Percent, Fixed: true,
		High: 1}
	return show.LineChart("Precision", a, chance, c).Saying(fmt.Sprintf("Of the %s nodes above every threshold, the "+
		"share that is %s. Of the first %d, %s are: %.3g times the number expected by chance.", part, rare.Class,
		rare.First, show.Percent(rare.Precision), rare.Lift))
}

// roc returns the ROC curve, for two classes.
func (r *Run) roc() *show.Chart {
	names := r.Trained.Data.Labels.Names
	if len(names) != 2 {
		return nil
	}
	part, score, positive := r.told(1)
	area := metric.AUC(score, positive)
	if math.IsNaN(area) {
		return nil
	}
	c := show.Curve{Name: "this model", Ink: show.Series(0)}
	c.X, c.Y = roc(score, positive)
	chance := show.Curve{Name: "chance", Ink: show.Series(-1), Dash: true, X: []float64{0, 1}, Y: []float64{0, 1}}
	a := show.Axes{Below: "false positives", X: show.Percent, Y: show.Percent, Fixed: true, High: 1}
	return show.LineChart("True positives (ROC)", a, chance, c).Saying(fmt.Sprintf(
		"Separating %s from %s on the %s nodes, at every threshold. The area under the curve is "+
			"%.3f.", names[1], names[0],
		part, area))
}

// calibrationBins is the number of bins of the drawing; the error in the caption, the metric ece, has its own.
const calibrationBins = 10

// perfect is the curve of a model that is as often right as it is sure.
var perfect = show.Curve{Name: "perfectly calibrated", Ink: show.Series(-1), Dash: true, X: []float64{0, 1},
	Y: []float64{0, 1}}

// calibration compares how sure the model is with how often it is right.
func (r *Run) calibration() *show.Chart {
	part, nodes := r.measured()
	c := show.Curve{Name: "this model", Ink: show.Series(0), Marks: true}
	if c.X, c.Y = r.reliability(); len(c.X) == 0 {
		return nil
	}
	a := show.Axes{Below: "how sure the model is", X: show.Percent, Y: show.Percent, Fixed: true, High: 1}
	return show.LineChart("How often it is right", a, perfect, c).Saying(fmt.Sprintf(
		"Points below the line are overconfident. Expected calibration error on the %s nodes: %s.", part,
		show.Percent(r.measure("ece", nodes))))
}

// reliability is, for every bin of measured nodes by confidence, the mean confidence and the share that is right.
func (r *Run) reliability() (sure, right []float64) {
	_, nodes := r.measured()
	var n, p, hits [calibrationBins]float64
	for _, v := range nodes {
		y, guess := r.Trained.Data.Labels.Class[v], r.class(v)
		if y < 0 {
			continue
		}
		confidence := float64(r.row(v)[guess])
		b := show.Bin(confidence, 0, 1, calibrationBins)
		n[b]++
		p[b] += confidence
		if y == guess {
			hits[b]++
		}
	}
	for b := range n {
		if n[b] > 0 {
			sure, right = append(sure, p[b]/n[b]), append(right, hits[b]/n[b])
		}
	}
	return sure, right
}

// roc returns the ROC curve from (0, 0) to (1, 1): the shares of the negatives and of the positives that score at
// least as much as every distinct score, descending. metric.AUC is the area under the straight lines between its
// points.
func roc(score []float64, positive []bool) (falsePositive, truePositive []float64) {
	order := make([]int, len(score))
	pos := 0
	for i := range order {
		order[i] = i
		if positive[i] {
			pos++
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	falsePositive, truePositive = []float64{0}, []float64{0}
	hits := 0
	for at, i := range order {
		if positive[i] {
			hits++
		}
		if at+1 == len(order) || score[order[at+1]] != score[i] {
			falsePositive = append(falsePositive, float64(at+1-hits)/float64(len(score)-pos))
			truePositive = append(truePositive, float64(hits)/float64(pos))
		}
	}
	return falsePositive, truePositive
}

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
