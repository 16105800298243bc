package report

import (
	"fmt"

	"github.com/bloomgml/bloom"
)

// mostFlags is how many rows the tables of an audit have.
const mostFlags = 12

// nodeRow is a node of the audit, or what it is in an explanation.
type nodeRow struct {
	Name, Value      string
	Predicted, Label string
	Wrong            bool // the two differ
	Part             string
	Spoilt           bool // known to be corrupted
}

// edgeRow is an edge of the audit.
type edgeRow struct {
	From, To, Energy   string
	FromLabel, ToLabel string
	Between            bool // the labels of its ends differ
}

// flaggedNodes are the nodes of the largest residual.
func (r *Run) flaggedNodes() []nodeRow {
	part := map[int32]string{}
	s := r.Trained.Split
	for name, nodes := range map[string][]int32{"train": s.Train, "valid": s.Valid, "test": s.Test} {
		for _, v := range nodes {
			part[v] = name
		}
	}
	spoilt := map[int32]bool{}
	for _, v := range r.Trained.Data.Corrupted {
		spoilt[v] = true
	}
	var rows []nodeRow
	for _, f := range r.Audit.Nodes[:min(mostFlags, len(r.Audit.Nodes))] {
		guess, label := r.class(f.Node), r.Trained.Data.Labels.Class[f.Node]
		rows = append(rows, nodeRow{r.name(f.Node), compact(f.Residual), r.className(guess), r.className(label),
			label >= 0 && guess != label, part[f.Node], spoilt[f.Node]})
	}
	return rows
}

// flaggedEdges are the edges of the largest energy.
func (r *Run) flaggedEdges() []edgeRow {
	class := r.Trained.Data.Labels.Class
	var rows []edgeRow
	for _, f := range r.Audit.Edges[:min(mostFlags, len(r.Audit.Edges))] {
		u, v := class[f.U], class[f.V]
		rows = append(rows, edgeRow{r.name(f.U), r.name(f.V), compact(f.Energy), r.className(u), r.className(v),
			u >= 0 && v >= 0 && u != v})
	}
	return rows
}

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
