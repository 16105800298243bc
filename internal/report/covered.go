package report

import (
	"fmt"
	"html"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/nodes"
)

// coverage is how often sets of classes, or intervals, hold what is true of the measured nodes.
type coverage struct {
	nodes.Conformal
	part     string
	byClass  []covered // none for numbers
	byDegree []covered
}

// covered is some nodes: how many sets hold what is true, and how large sets are together.
type covered struct {
	name        string
	nodes, held int
	size        float64
}

// asked is the coverage that a page shows, and mostWork the number of steps, nodes times classes squared, up to which
// it does so unasked.
const asked, mostWork = 0.9, 1e9

// cover makes sets of predictions; nil where that cannot be done, with few validation nodes.
func (r *Run) cover(p *nodes.Predictions) *coverage {
	d := r.Trained.Data
	k := float64(len(d.Labels.Names))
	if float64(d.Graph.NumNodes())*k*k > mostWork {
		return nil
	}
	s, err := p.Conform(nodes.Conforming{Coverage: asked})
	if err != nil {
		return nil
	}
	c := &coverage{Conformal: *s}
	var list []int32
	c.part, list = r.measured()
	if r.ofClasses() {
		for _, name := range d.Labels.Names {
			c.byClass = append(c.byClass, covered{name: name})
		}
	}
	for from := 0; from < 32; from = max(1, 2*from) {
		c.byDegree = append(c.byDegree, covered{name: degreesFrom(from)})
	}
	degrees, i := d.Graph.Degrees(graph.Either), 0
	for x := range p.Only(list).Each {
		r.count(c, list[i], int(degrees[list[i]]), x)
		i++
	}
	return c
}

// degreesFrom names the degrees from a power of two to the next.
func degreesFrom(from int) string {
	switch {
	case from < 2:
		return fmt.Sprint(from)
	case from == 16:
		return "16+"
	}
	return fmt.Sprintf("%d–%d", from, 2*from-1)
}

// count adds a node to its groups.
func (r *Run) count(c *coverage, v int32, degree int, x nodes.Prediction) {
	d := r.Trained.Data
	held, size := false, 0.0
	class := d.Labels.Class[v]
	switch {
	case x.Low != nil:
		y := float64(d.Labels.Values[v])
		held, size = *x.Low <= y && y <= *x.High, *x.High-*x.Low
	case class < 0:
		return
	case !r.ofClasses():
		held, size = true, float64(len(x.Set))
		k := len(d.Labels.Names)
		for y, has := range d.Labels.Values[int(v)*k : int(v+1)*k] {
			held = held && (has == 0 || slices.Contains(x.Set, d.Labels.Names[y]))
		}
	default:
		held, size = slices.Contains(x.Set, d.Labels.Names[class]), float64(len(x.Set))
		c.byClass[class].add(held, size)
	}
	group := 0
	for n := degree; n > 0 && group < len(c.byDegree)-1; n /= 2 {
		group++
	}
	c.byDegree[group].add(held, size)
}

func (c *covered) add(held bool, size float64) {
	c.nodes++
	c.size += size
	if held {
		c.held++
	}
}

// write shows the groups.
func (c *coverage) write(m *markup) {
	m.f("<p>Made to hold what is true of %s of the nodes, by %s validation nodes. They do so for %s of the test "+
		"nodes; bloom predict --coverage gives them.</p>\n<div class=\"grid\">\n",
		percent(c.Coverage), thousands(c.Nodes), percent(c.Test))
	c.table(m, "class", c.byClass)
	c.table(m, "degree", c.byDegree)
	m.raw("</div>\n")
}

// table shows the groups that have nodes.
func (c *coverage) table(m *markup, by string, groups []covered) {
	if len(groups) == 0 {
		return
	}
	m.f("<figure>\n<h3>By %s</h3>\n", by)
	m.table([]string{by, c.part + " nodes#", "hold#", "mean size#"}, func() {
		for _, g := range groups {
			if g.nodes > 0 {
				m.row("", html.EscapeString(clipped(g.name, 32)), cell{"n", thousands(g.nodes)},
					cell{"n", percent(float64(g.held) / float64(g.nodes))},
					cell{"n", chart.Compact(g.size / float64(g.nodes))})
			}
		}
	})
	m.raw("</figure>\n")
}
