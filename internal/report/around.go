package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/show"
)

// The maximum number of nodes in a drawing: more would be hard to follow.
const (
	mostNeighbours = 24
	mostNodes      = 56
)

// around is a part of the graph: a node, its neighbours, and theirs as far as there is room.
type around struct {
	nodes   []int32 // the centre, then neighbours, then theirs
	direct  int     // how many are neighbours of the centre
	left    int     // neighbours of the centre that are not shown
	edges   [][2]int
	pulls   map[int32]float64 // what edges of the centre do for its prediction, by their other end; nil for a baseline
	explain *bloom.Explanation
}

// centre returns the node of an id, or for an empty one the node to look at first: the node with the most suspicious
// row, with the largest residual or, for a baseline, with the most certain wrong prediction.
func (r *Run) centre(id string) (int32, error) {
	d := r.Trained.Data
	if id != "" {
		return d.Node(id)
	}
	if r.Audit != nil && len(r.Audit.Rows) > 0 {
		return r.Audit.Rows[0].Node, nil
	}
	if r.Inspection != nil {
		residuals := r.Inspection.Residuals()
		return int32(slices.Index(residuals, slices.Max(residuals))), nil
	}
	_, nodes := r.measured()
	best, sure := int32(0), -1.0
	for _, v := range nodes {
		guess := r.class(v)
		if p := float64(r.row(v)[guess]); guess != d.Labels.Class[v] && p > sure {
			best, sure = v, p
		}
	}
	return best, nil
}

// around collects what is drawn around v.
func (r *Run) around(v int32) *around {
	a := &around{nodes: []int32{v}}
	if r.Inspection != nil {
		x := r.Inspection.Node(v)
		a.explain, a.pulls = &x, map[int32]float64{}
		for _, e := range x.Edges {
			a.pulls[e.Other] += e.Pull
		}
	}
	near := r.neighbours(v)
	slices.SortStableFunc(near, func(x, y int32) int { return cmp.Compare(math.Abs(a.pulls[y]), math.Abs(a.pulls[x])) })
	a.direct = min(len(near), mostNeighbours)
	a.left = len(near) - a.direct
	a.nodes = append(a.nodes, near[:a.direct]...)
	for _, u := range near[:a.direct] {
		for _, w := range r.neighbours(u) {
			if len(a.nodes) < mostNodes && !slices.Contains(a.nodes, w) {
				a.nodes = append(a.nodes, w)
			}
		}
	}
	for i, v := range a.nodes {
		for _, u := range r.neighbours(v) {
			if j := slices.Index(a.nodes, u); i < j {
				a.edges = append(a.edges, [2]int{i, j})
			}
		}
	}
	return a
}

// neighbours returns the nodes that share an edge with v, ascending, without v.
func (r *Run) neighbours(v int32) []int32 {
	return audit.Neighbours(nil, r.Trained.Data.Graph, int(v))
}

// pull is a line of an explanation.
type pull struct {
	From, Label  string
	Energy, Pull float64
	Against      bool
}

// mostPulls is the number of columns that an explanation lists, and the number of edges from either end.
const mostPulls = 4

// pulls returns what acts on a node: its features, with the columns that pull most, then the edges that support its
// prediction most and the edges that oppose it most.
func (r *Run) pulls(x *bloom.Explanation) ([]pull, error) {
	class := r.Trained.Data.Labels.Class
	rows := []pull{{"its own features", r.className(class[x.Node]), x.Own, x.OwnPull, x.OwnPull < 0}}
	list, err := r.Trained.Task.NodeShares(r.Inspection, x.Node)
	if err != nil {
		return nil, err
	}
	for _, c := range list[:min(mostPulls, len(list))] {
		from := fmt.Sprintf("of these %s %s, usually %s", c.Name, show.Compact(c.Value), show.Compact(c.Usual))
		rows = append(rows, pull{from, "", c.Energy, c.Pull, c.Pull < 0})
	}
	for i, e := range x.Edges {
		if i < mostPulls || i >= len(x.Edges)-mostPulls {
			rows = append(rows, pull{r.name(e.Other), r.className(class[e.Other]), e.Energy, e.Pull, e.Pull < 0})
		}
	}
	return rows, nil
}

// verdict returns the prediction for a node, in words.
func (r *Run) verdict(v int32) string {
	guess, label := r.class(v), r.Trained.Data.Labels.Class[v]
	s := fmt.Sprintf("%s is predicted %s with probability %s", r.name(v), r.className(guess),
		show.Percent(float64(r.row(v)[guess])))
	switch {
	case label < 0:
		s += "; its class is not known."
	case label == guess:
		s += ", which is its label."
	default:
		s += "; its label is " + r.className(label) + "."
	}
	if h := r.Certified.About(r.Trained.Data.NodeName(v)); h != nil {
		s += " " + h.Text
	}
	return s
}
