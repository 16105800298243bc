package node

import (
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// measure is a number or a time among the features of a node, on the scale on which it is compared.
type measure struct {
	at   int // of the features
	name string
	dataset.Feature
	log, time, made bool // log: all are positive, so their ratios are compared; made: of edges
}

// measures returns the numbers and times of nodes of a type, and which two of them are compared: numbers of which all
// are positive by their ratio, and times by their difference. Of numbers made of edges there are the sums alone.
func (t *Task) measures(kind int) (list []measure, pairs [][2]int) {
	d, at := t.Data, 0
	x := d.Features[kind]
	for _, c := range d.Schema.Types[kind].Columns {
		f, isTime, made := c.Features(), c.Kind == dataset.Time, d.Schema.Made(c.Name)
		usual := (c.Kind == dataset.Number || isTime && len(f) > 0 && f[0].Name == c.Name) &&
			(!made || strings.Contains(c.Name, ".sum"))
		if usual {
			list = append(list, measure{at, c.Name, f[0], !isTime, isTime, made})
		}
		at += len(f)
	}
	if at != x.Cols {
		return nil, nil
	}
	row := make([]float32, at)
	for v := range x.Rows {
		unfold(row, x, v)
		for j := range list {
			list[j].log = list[j].log && list[j].Value(float64(row[list[j].at])) > 0
		}
	}
	for j, b := range list {
		for i, a := range list[:j] {
			if (a.log && b.log || a.time && b.time) && !(a.made && b.made) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	if len(pairs) > mostCompared {
		pairs = nil
	}
	return list, pairs
}

// value returns the number of a row of features as it is compared; NaN for a missing one, which is the mean.
func (m measure) value(row []float32) float64 {
	x := float64(row[m.at])
	switch {
	case x == 0:
		return math.NaN()
	case m.log:
		return math.Log(m.Value(x)) // NaN for a new number below 0
	case m.time:
		return m.Value(x)
	}
	return x
}

// against names the comparison of two measures.
func (m measure) against(o measure) string {
	if m.time {
		return m.name + " − " + o.name
	}
	return m.name + " / " + o.name
}

// unfold writes row v of x.
func unfold(to []float32, x dataset.Matrix, v int) {
	clear(to)
	for j, value := range x.Entries(v) {
		to[j] = float32(value)
	}
}

// comparison holds what is computed from the numbers of a node of one type, the rows alike, and its rows of edges.
type comparison struct {
	kind     int
	measures []measure
	pairs    [][2]int
	alike    []*alike
	carry    [][]int // of every type, features whose means neighbours have
	sides    []side
	shared   []shared
	beside   []float32 // what sides and what is shared say about the nodes
	labels   int       // columns of labels
	worst    int       // 1 if labels are one number of which the largest is of interest
	width    int
}

// compared returns the comparisons for the nodes of a task.
func (t *Task) compared() (c comparison) {
	if d := t.Data; d.Raw == nil || d.Schema == nil || len(d.Schema.Types) != d.Graph.NumTypes() ||
		len(d.Features) != d.Graph.NumTypes() {
		return c
	}
	c.kind = max(0, slices.IndexFunc(t.Data.Schema.Types, func(s dataset.TypeSchema) bool { return s.Label != "" }))
	c.measures, c.pairs = t.measures(c.kind)
	if c.labels = t.labelColumns(); c.labels == 1 && t.Data.Labels.Task == "" {
		c.worst = 1
	}
	if t.Data.Times == nil { // rows alike and neighbours may be later than a node
		c.alike = t.alikes(c.kind, c.measures)
		t.look(&c)
	}
	c.width = len(c.pairs) + c.besides()
	for _, a := range c.alike {
		c.width += a.width(c.labels, len(c.measures))
	}
	if c.width*t.Data.Graph.NumNodes() > mostEntries {
		return comparison{}
	}
	return c
}

// look finds the sides of rows of edges, and what nodes share by them.
func (t *Task) look(c *comparison) {
	c.sides, c.shared = t.sides(c.kind)
	most := mostCarried
	if len(c.sides) > 0 {
		most = min(most, mostBeside/len(c.sides))
	}
	c.carry = nil
	for kind := range t.Data.Features {
		c.carry = append(c.carry, t.carried(kind, most))
	}
}

// fill writes the columns of node v, whose own are row.
func (c *comparison) fill(to []float32, v int, row []float32) {
	c.ratios(to, row)
	to = to[len(c.pairs):]
	n := c.besides()
	copy(to[:n], c.beside[v*n:])
	to = to[n:]
	for _, a := range c.alike {
		n := a.width(c.labels, len(c.measures))
		a.fill(to[:n], v, c.labels, c.measures, row)
		to = to[n:]
	}
}

// ratios writes the comparisons of numbers with each other.
func (c *comparison) ratios(to []float32, row []float32) {
	for i, p := range c.pairs {
		to[i] = float32(c.measures[p[0]].value(row) - c.measures[p[1]].value(row))
	}
}

// besides returns the number of columns of all sides and of what is shared.
func (c *comparison) besides() (n int) {
	for _, s := range c.sides {
		n += c.sideWidth(s)
	}
	return n + len(c.shared)*c.sharedWidth()
}

// learn computes what the labels of training nodes and the sides say, once.
func (c *comparison) learn(t *Task) {
	if c.beside != nil {
		return
	}
	trains := t.trains()
	for _, a := range c.alike {
		a.fillLabels(t, c.labels)
	}
	n, at := c.besides(), 0
	c.beside = make([]float32, n*len(trains))
	for _, s := range c.sides {
		width := c.sideWidth(s)
		t.around(c, s, trains, func(v int) []float32 { return c.beside[v*n+at:][:width] })
		at += width
	}
	for _, s := range c.shared {
		t.share(c, s, func(v int) []float32 { return c.beside[v*n+at:][:c.sharedWidth()] })
		at += c.sharedWidth()
	}
}

// anew returns the same comparisons on the data of t, which has changed since.
func (c comparison) anew(t *Task) comparison {
	groups := c.alike
	c.alike, c.beside = nil, nil
	for i, a := range groups {
		now := grouped(a.name, &t.Data.Raw.Nodes[0][i].Values)
		if a.usual != nil {
			now.compare(c.measures, t.Data.Features[0])
		}
		c.alike = append(c.alike, now)
	}
	if len(c.sides)+len(c.shared) > 0 {
		t.look(&c)
	}
	return c
}

// Compared returns the columns of the table of nodes by whose values rows are grouped, and whether rows of edges are
// seen: with any of these, all answers depend on all rows, and Subgraph.Raw is needed.
func (t *Task) Compared() (columns []string, edges bool) {
	var b *table
	if f, solved := t.network.(*closedForm); solved {
		b = &f.table
	} else if t.forest != nil {
		b = &t.forest.table
	} else {
		return nil, false
	}
	for _, a := range b.alike {
		columns = append(columns, a.name)
	}
	return columns, len(b.sides)+len(b.shared) > 0
}

// sharing begins the names of columns of labels that rows alike have.
const sharing = "rows with the same "

// each yields the columns with their names, in the units that people read: ratios, years and numbers.
func (c *comparison) each(own [][]Column, labels []string, row []float32, yield func(name string, x float64)) {
	pairs := func(row []float32, prefix string) {
		for i, p := range c.pairs {
			a, b := c.measures[p[0]], c.measures[p[1]]
			yield(prefix+a.against(b), a.unscaled(row[i]))
		}
	}
	pairs(row, "")
	row = row[len(c.pairs):]
	for _, s := range c.sides {
		n, prefix := c.sideWidth(s), s.name+": "
		rest := row[:n]
		if row = row[n:]; !s.labels {
			for j, at := range c.carry[s.kind] {
				yield(prefix+own[s.kind][at].Name, own[s.kind][at].feature().Value(float64(rest[j])))
			}
			if rest = rest[len(c.carry[s.kind]):]; s.kind == c.kind {
				pairs(rest, prefix)
				rest = rest[len(c.pairs):]
			}
		}
		for j, label := range labels {
			yield(prefix+"label "+label, float64(rest[j]))
		}
		for j, x := range rest[len(labels):] {
			yield(prefix+"rows "+calendar[j], float64(x))
		}
	}
	for _, s := range c.shared {
		c.eachShared(s, labels, row[:c.sharedWidth()], yield)
		row = row[c.sharedWidth():]
	}
	for _, a := range c.alike {
		n := a.width(c.labels, len(c.measures))
		yield(sharing+a.name, math.Exp(float64(row[0])))
		for i, label := range labels {
			yield(sharing+a.name+", label "+label, float64(row[1+i]))
		}
		for j, x := range row[1+c.labels : n] {
			yield(c.measures[j].name+" against the same "+a.name, c.measures[j].unscaled(x))
		}
		row = row[n:]
	}
}

// unscaled returns a difference of two values of a measure as people read it: a ratio, a time, or a number.
func (m measure) unscaled(x float32) float64 {
	switch {
	case m.log:
		return math.Exp(float64(x))
	case m.time:
		return float64(x)
	}
	return float64(x) * m.SD
}
