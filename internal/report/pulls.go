package report

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/chart"
)

// pull is a line of an explanation.
type pull struct {
	From, Label  string
	Energy, Pull float64
	Against      bool
}

// mostPulls is how many columns an explanation lists, and how many edges from either end.
const mostPulls = 4

// pulls are what acts on a node: its features, with the columns of them that pull most, then the edges that support its
// prediction most and those that speak against it.
func (r *Run) pulls(x *bloom.Explanation) ([]pull, error) {
	class := r.Trained.Data.Labels.Class
	rows := []pull{{"its own features", r.className(class[x.Node]), x.Own, x.OwnPull, x.OwnPull < 0}}
	list, err := r.Trained.Task.NodeShares(r.Inspection, x.Node)
	if err != nil {
		return nil, err
	}
	for _, c := range list[:min(mostPulls, len(list))] {
		from := fmt.Sprintf("of these %s %s, usually %s", c.Name, chart.Compact(c.Value), chart.Compact(c.Usual))
		rows = append(rows, pull{from, "", c.Energy, c.Pull, c.Pull < 0})
	}
	for i, e := range x.Edges {
		if i < mostPulls || i >= len(x.Edges)-mostPulls {
			rows = append(rows, pull{r.name(e.Other), r.className(class[e.Other]), e.Energy, e.Pull, e.Pull < 0})
		}
	}
	return rows, nil
}

// verdict is what is predicted for a node.
func (r *Run) verdict(v int32) string {
	guess, label := r.class(v), r.Trained.Data.Labels.Class[v]
	s := fmt.Sprintf("%s is predicted %s with probability %s", r.name(v), r.className(guess),
		chart.Percent(float64(r.row(v)[guess])))
	switch {
	case label < 0:
		return s + "; its class is not known."
	case label == guess:
		return s + ", which is its label."
	}
	return s + "; its label is " + r.className(label) + "."
}
