package serve

import (
	"maps"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Overview: trees compare rows that share a value of a column, and see the rows of edges by their direction, size and
// recency. Edits change both, so these parts of the tables are put together as they are now.

// sayText sets the categories of a column in a row of features of v, −1 for a node to be added, and the value by which
// rows are compared. It reports whether there is such a column.
func (g *graph) sayText(x []mat.Real, v int32, name, text string) (there bool) {
	other := -1
	for j, c := range g.task.Columns() {
		level, ok := strings.CutPrefix(c.Name, name+"=")
		if !ok {
			continue
		}
		x[j] = mat.Real(c.Scaled(0))
		switch {
		case text == "":
			there = true
		case strings.EqualFold(level, text):
			x[j], other, there = mat.Real(c.Scaled(1)), -1, true
		case level == dataset.OtherLevel && !there:
			other = j
		}
	}
	if other >= 0 {
		x[other], there = mat.Real(g.task.Columns()[other].Scaled(1)), true
	}
	if columns, _ := g.task.Compared(); !slices.Contains(columns, name) {
		return there
	}
	if v < 0 {
		v = int32(g.state.Nodes())
	}
	said, _ := g.texts.get(v)
	if said = maps.Clone(said); said == nil {
		said = map[string]string{}
	}
	said[name] = text
	g.texts.set(v, said)
	return true
}

// tables returns columns of the table of nodes and, if trees see them, the rows of edges between nodes, which place
// numbers.
func (g *graph) tables(nodes []int32, place map[int32]int32, columns []string, edges bool) *dataset.Raw {
	raw := &dataset.Raw{Nodes: make([][]dataset.RawColumn, 1)}
	for _, name := range columns {
		given := g.task.Data.Raw.Nodes[0]
		was := &given[slices.IndexFunc(given, func(c dataset.RawColumn) bool { return c.Name == name })].Values
		c := dataset.RawColumn{Name: name}
		for _, v := range nodes {
			said, _ := g.texts.get(v)
			switch text, told := said[name]; {
			case told:
				c.Values.Append([]byte(text))
			case v < g.known:
				c.Values.Append(was.Get(int(v)))
			default:
				c.Values.Append(nil)
			}
		}
		raw.Nodes[0] = append(raw.Nodes[0], c)
	}
	if edges {
		raw.Rows = g.edgeRows(nodes, place)
	}
	return raw
}

// edgeRows returns the rows of edges between nodes as they are now.
func (g *graph) edgeRows(nodes []int32, place map[int32]int32) *dataset.EdgeRows {
	all, out := g.task.Data.Raw.Rows, &dataset.EdgeRows{}
	for _, c := range all.Columns {
		out.Columns = append(out.Columns, dataset.NumberColumn{Name: c.Name})
	}
	add := func(src, dst int32, value func(k int) float64) {
		out.Src, out.Dst = append(out.Src, place[src]), append(out.Dst, place[dst])
		for k := range out.Columns {
			out.Columns[k].Values = append(out.Columns[k].Values, value(k))
		}
	}
	for i, src := range all.Src {
		if dst := all.Dst[i]; !g.told.has(src) && !g.told.has(dst) {
			add(src, dst, func(k int) float64 { return all.Columns[k].Values[i] })
		}
	}
	for _, v := range nodes {
		rows, _ := g.told.get(v)
		for _, r := range rows {
			if v == r.Src || !g.told.has(r.Src) { // rows that both ends have are added once
				add(r.Src, r.Dst, func(k int) float64 { return r.Values[k] })
			}
		}
	}
	return out
}
