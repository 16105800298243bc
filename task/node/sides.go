package node

import (
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// Overview: where the rows of a table of edges have a direction, numbers or times, trees see the neighbours that a
// node's rows lead to and those that they come from apart, and each also by how large and how recent the rows are.

// side is a way to weigh the neighbours of nodes: neighbour with[i] of node of[i] by by[i], or 1 if by is nil.
type side struct {
	name     string
	of, with []int32
	by       []float64
	kind     int       // the type of with
	labels   bool      // their labels alone are of interest
	plain    bool      // labels that are numbers are taken as they are, not scaled
	when     []float64 // the time of every row, if its hour and weekday are of interest
}

// calendar names the shares of rows at some hours and on some days.
var calendar = []string{"from 0 to 6 h", "from 6 to 12 h", "from 12 to 18 h", "from 18 to 24 h",
	"on Saturday or Sunday"}

// count adds a row to the shares of calendar; times are in days since 1970-01-01, a Thursday.
func count(to []float32, when float64) {
	day := math.Floor(when)
	to[int(4*(when-day))]++
	if weekday := math.Mod(math.Mod(day+3, 7)+7, 7); weekday >= 5 {
		to[4]++
	}
}

// mostCarried is the maximum number of columns whose means over neighbours are weighed in several ways, and mostBeside
// about that of all sides.
const mostCarried, mostBeside = 64, 512

// sides returns the ways to weigh neighbours of nodes of a type, by every table of edges, and what these share by it.
// There are none that tell no more than the graph does.
func (t *Task) sides(kind int) (list []side, things []shared) {
	d := t.Data
	if d.Raw.Rows == nil {
		return nil, nil
	}
	apart := len(d.Schema.Stats) > 1 || d.Graph.NumTypes() > 1
	for _, s := range d.Schema.Stats {
		r, name := rowsOf(d.Raw.Rows, s.Relation), ""
		if len(d.Schema.Stats) > 1 {
			name = " of " + s.Name
		}
		plain := r.bothSides(s, side{name: name})
		if !s.Undirected || apart {
			list = append(list, plain...)
		}
		for _, x := range t.typed(kind, plain) {
			if d.Graph.NumNodes()*(labelFolds+1)*(1+t.labelColumns()) > mostEntries {
				break
			}
			things = append(things, newShared(x))
		}
		if len(s.Numbers) > 0 {
			x := s.Numbers[0].Name
			list = append(list, r.bothSides(s, side{name: name + ", by " + x, by: positive(r.Column(x))})...)
		}
		if x := s.Time.Name; x != "" {
			list = append(list, r.bothSides(s, side{name: name + ", by " + x, by: recency(r.Column(x), s),
				labels: true, when: r.Column(x)})...)
		}
	}
	return t.typed(kind, list), things
}

// typed returns the rows of sides that begin at nodes of a type and lead to nodes of one type, that of their first row.
func (t *Task) typed(kind int, list []side) (kept []side) {
	types := t.Data.Graph.NodeTypes()
	if t.Data.Graph.NumTypes() < 2 {
		return list
	}
	for _, s := range list {
		x := side{name: s.name, kind: -1, labels: s.labels}
		for i, v := range s.of {
			to := int(types[s.with[i]])
			if int(types[v]) != kind || x.kind >= 0 && x.kind != to {
				continue
			}
			x.kind, x.of, x.with = to, append(x.of, v), append(x.with, s.with[i])
			if s.by != nil {
				x.by = append(x.by, s.by[i])
			}
			if s.when != nil {
				x.when = append(x.when, s.when[i])
			}
		}
		if x.kind >= 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

// edgeRows are rows of edges of one relation.
type edgeRows struct{ *dataset.EdgeRows }

// rowsOf returns the rows of a relation, −1 standing for all.
func rowsOf(r *dataset.EdgeRows, relation int32) edgeRows {
	if relation < 0 || r.Rel == nil {
		return edgeRows{r}
	}
	out := &dataset.EdgeRows{Columns: make([]dataset.NumberColumn, len(r.Columns))}
	for i, rel := range r.Rel {
		if rel != relation {
			continue
		}
		out.Src, out.Dst = append(out.Src, r.Src[i]), append(out.Dst, r.Dst[i])
		for k, c := range r.Columns {
			out.Columns[k].Name, out.Columns[k].Values = c.Name, append(out.Columns[k].Values, c.Values[i])
		}
	}
	return edgeRows{out}
}

// bothSides returns x for the neighbours that rows lead to and those that they come from, or for both if rows have no
// direction.
func (r edgeRows) bothSides(s dataset.EdgeStats, x side) []side {
	if s.Undirected {
		x.name, x.of, x.with = "neighbours"+x.name, slices.Concat(r.Src, r.Dst), slices.Concat(r.Dst, r.Src)
		x.by, x.when = slices.Concat(x.by, x.by), slices.Concat(x.when, x.when)
		return []side{x}
	}
	to, from := x, x
	to.name, to.of, to.with = "neighbours out"+x.name, r.Src, r.Dst
	from.name, from.of, from.with = "neighbours in"+x.name, r.Dst, r.Src
	return []side{to, from}
}

// positive returns numbers as weights: none below 0.
func positive(x []float64) []float64 {
	w := make([]float64, len(x))
	for i, y := range x {
		if y > 0 {
			w[i] = y
		}
	}
	return w
}

// recency returns weights that fall to a third in a fifth of the time that rows span.
func recency(when []float64, s dataset.EdgeStats) []float64 {
	w := make([]float64, len(when))
	for i, x := range when {
		if !math.IsNaN(x) {
			w[i] = math.Exp(5 * (x - s.End) / max(s.End-s.Begin, 1e-9))
		}
	}
	return w
}

// carried returns the columns of features of a type whose means neighbours have: those that are not made of edges, or
// of these the numbers if they are more than most.
func (t *Task) carried(kind, most int) (list []int) {
	at, s := 0, t.Data.Schema
	for _, column := range s.Types[kind].Columns {
		for range column.Features() {
			if !s.Made(column.Name) {
				list = append(list, at)
			}
			at++
		}
	}
	if at != t.Data.Features[kind].Cols {
		return nil
	}
	if len(list) <= most {
		return list
	}
	list = nil
	numbers, _ := t.measures(kind)
	for _, m := range numbers {
		if !m.made {
			list = append(list, m.at)
		}
	}
	return list[:min(len(list), most)]
}

// sideWidth returns the number of columns of a side.
func (c *comparison) sideWidth(s side) int {
	n := c.labels
	if s.when != nil {
		n += len(calendar)
	}
	return n + c.sideOwn(s)
}

// sideOwn returns how many of these are means of the neighbours' columns and comparisons.
func (c *comparison) sideOwn(s side) (n int) {
	if s.labels {
		return 0
	}
	if n = len(c.carry[s.kind]); s.kind == c.kind {
		n += len(c.pairs)
	}
	return n
}

// around fills in the columns of a side for all nodes: means of the neighbours' columns and comparisons, of the labels
// of neighbours that are training nodes, and shares of the calendar; a gap without neighbours.
func (t *Task) around(c *comparison, s side, trains []bool, to func(v int) []float32) {
	n, own, label := t.Data.Graph.NumNodes(), c.sideOwn(s), make([]float64, c.labels)
	over, rows, x := make([]float64, n*(own+1)), make([]float64, n), t.carriedRows(c, s.kind, own)
	for v := range n {
		clear(to(v))
	}
	for i, v := range s.of {
		u, w := s.with[i], 1.0
		if s.by != nil {
			w = s.by[i]
		}
		if u == v {
			continue
		}
		row, sums := to(int(v)), over[int(v)*(own+1):]
		if s.when != nil && !math.IsNaN(s.when[i]) {
			rows[v]++
			count(row[own+c.labels:], s.when[i])
		}
		if w == 0 {
			continue
		}
		for j, y := range x[int(u)*own:][:own] {
			if y == y {
				row[j] += float32(w) * y
				sums[j] += w
			}
		}
		if trains[u] {
			sums[own] += w
			if t.labelOf(label, u); s.plain && t.Data.Labels.Task == dataset.Numbers {
				label[0] = float64(t.Data.Labels.Values[u])
			}
			for k, y := range label {
				row[own+k] += float32(w * y)
			}
		}
	}
	for v := range n {
		for j, row := 0, to(v); j < len(row); j++ {
			sum := rows[v]
			if j < own+c.labels {
				sum = over[v*(own+1)+min(j, own)]
			}
			row[j] /= float32(sum) // 0/0, a gap, without neighbours
		}
	}
}

// carriedRows returns the columns of nodes of a type that neighbours have the means of, n×own.
func (t *Task) carriedRows(c *comparison, kind, own int) []float32 {
	x := make([]float32, t.Data.Graph.NumNodes()*own)
	if own == 0 {
		return x
	}
	features := t.Data.Features[kind]
	row := make([]float32, features.Cols)
	for i, v := range t.Data.Graph.NodesOfType(int32(kind)) {
		unfold(row, features, i)
		to := x[int(v)*own:][:own]
		for j, at := range c.carry[kind] {
			to[j] = row[at]
		}
		if kind == c.kind {
			c.ratios(to[len(c.carry[kind]):], row)
		}
	}
	return x
}

// isNear reports whether a column is about neighbours or rows alike.
func isNear(name string) bool {
	return strings.HasPrefix(name, "neighbours") || strings.HasPrefix(name, closedColumn) ||
		strings.HasPrefix(name, sharing)
}
