package report

import (
	"fmt"

	"github.com/bloomgml/bloom"
)

// pull is a line of an explanation.
type pull struct {
	From, Label, Energy, Pull string
	Against                   bool
}

// mostPulls is how many edges an explanation lists from either end.
const mostPulls = 4

// pulls are what acts on a node: its features, then the edges that support its prediction most and those that speak
// against it.
func (r *Run) pulls(x *bloom.Explanation) []pull {
	rows := []pull{{"its own features", r.className(r.Trained.Data.Labels.Class[x.Node]), compact(x.Own),
		signed(x.OwnPull), x.OwnPull < 0}}
	for i, e := range x.Edges {
		if i < mostPulls || i >= len(x.Edges)-mostPulls {
			rows = append(rows, pull{r.name(e.Other), r.className(r.Trained.Data.Labels.Class[e.Other]),
				compact(e.Energy), signed(e.Pull), e.Pull < 0})
		}
	}
	return rows
}

// signed is x with its sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + compact(x)
	}
	return compact(x)
}

// verdict is what is predicted for a node.
func (r *Run) verdict(v int32) string {
	guess, label := r.class(v), r.Trained.Data.Labels.Class[v]
	s := fmt.Sprintf("%s is predicted %s with probability %s", r.name(v), r.className(guess),
		percent(float64(r.row(v)[guess])))
	switch {
	case label < 0:
		return s + "; its class is not known."
	case label == guess:
		return s + ", which is its label."
	}
	return s + "; its label is " + r.className(label) + "."
}
