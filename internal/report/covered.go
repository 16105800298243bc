package report

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/task/node"
)

// coverage is how often sets of classes, or intervals, contain the truth for the measured nodes.
type coverage struct {
	node.Conformal
	Groups []groups
}

// groups are the nodes of a part of the data by their class or by their degree.
type groups struct {
	By, Part string
	Groups   []covered
}

// covered is some nodes: how many sets hold what is true, and how large sets are together.
type covered struct {
	Name  string
	Nodes int
	Held  float64
	Size  float64
}

// asked is the coverage that a page shows, and mostWork the number of steps, nodes times classes squared, up to which
// it does so by default.
const asked, mostWork = 0.9, 1e9

// cover makes sets of predictions; nil if that cannot be done, with few validation nodes.
func (r *Run) cover(p *node.Predictions) *coverage {
	d := r.Trained.Data
	k := float64(len(d.Labels.Names))
	if float64(d.Graph.NumNodes())*k*k > mostWork {
		return nil
	}
	s, err := p.Conform(node.Conforming{Coverage: asked})
	if err != nil {
		return nil
	}
	part, list := r.measured()
	byClass, byDegree := groups{By: "class", Part: part}, groups{By: "degree", Part: part}
	if r.ofClasses() {
		for _, name := range d.Labels.Names {
			byClass.Groups = append(byClass.Groups, covered{Name: name})
		}
	}
	for from := 0; from < 32; from = max(1, 2*from) {
		name := fmt.Sprint(from)
		switch {
		case from == 16:
			name = "16+"
		case from > 1:
			name = fmt.Sprintf("%d–%d", from, 2*from-1)
		}
		byDegree.Groups = append(byDegree.Groups, covered{Name: name})
	}
	degrees, i := d.Graph.Degrees(graph.Either), 0
	for x := range p.Only(list).Each {
		v := list[i]
		i++
		if d.Labels.Class[v] < 0 && x.Low == nil {
			continue
		}
		held, size := r.holds(v, x)
		if r.ofClasses() {
			byClass.Groups[d.Labels.Class[v]].add(held, size)
		}
		group := 0
		for n := int(degrees[v]); n > 0 && group < len(byDegree.Groups)-1; n /= 2 {
			group++
		}
		byDegree.Groups[group].add(held, size)
	}
	c := &coverage{Conformal: *s, Groups: []groups{byClass, byDegree}}
	if !r.ofClasses() {
		c.Groups = c.Groups[1:]
	}
	return c
}

// holds reports whether the set or interval of a node holds what is true, and how large it is.
func (r *Run) holds(v int32, x node.Prediction) (held bool, size float64) {
	labels := r.Trained.Data.Labels
	switch {
	case x.Low != nil:
		y := float64(labels.Values[v])
		return *x.Low <= y && y <= *x.High, *x.High - *x.Low
	case r.ofClasses():
		return slices.Contains(x.Set, labels.Names[labels.Class[v]]), float64(len(x.Set))
	}
	k := len(labels.Names)
	held = true
	for y, has := range labels.Values[int(v)*k : int(v+1)*k] {
		held = held && (has == 0 || slices.Contains(x.Set, labels.Names[y]))
	}
	return held, float64(len(x.Set))
}

func (c *covered) add(held bool, size float64) {
	c.Nodes++
	c.Size += size
	if held {
		c.Held++
	}
}
