package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Overview: the rows of edges of newcomers make the same columns for the newcomers as the import made for the old
// nodes, and change the columns of the old nodes at their other ends. The partners are new, so the columns of a node
// and the new rows can be combined without the old rows.

// newRows are the rows of edges of newcomers, including duplicates.
type newRows struct {
	src, dst, rel []int32
	texts         []dataset.RawColumn // in the columns of the old edges
	repeats       int
}

// values returns the columns that are numbers or times.
func (a *arrivals) values() (list []edgeValues) {
	s := a.d.Schema
	add := func(c dataset.Column) {
		known := slices.ContainsFunc(list, func(x edgeValues) bool { return x.Name == c.Name })
		at := slices.IndexFunc(a.newRows.texts, func(x dataset.RawColumn) bool { return x.Name == c.Name })
		if at >= 0 && !known {
			list = append(list, edgeValues{c, &a.newRows.texts[at].Values})
		}
	}
	for _, x := range s.Stats {
		for _, c := range x.Numbers {
			add(c)
		}
		add(x.Time)
	}
	return list
}

// finishEdges sets what is known of new edges once all rows are read: their features, texts and weights.
func (a *arrivals) finishEdges() {
	s, rows := a.d.Schema, &a.newRows
	if len(a.n.Edges) == 0 {
		return
	}
	n := int(max(slices.Max(rows.src), slices.Max(rows.dst))) + 1
	j := joinRows(n, rows.src, rows.dst, rows.rel, a.d.Graph.Undirected(), a.values())
	text := func(name string, edge int) string {
		if x := j.column(name); x != nil {
			return numberText(x[edge])
		}
		at := slices.IndexFunc(rows.texts, func(x dataset.RawColumn) bool { return x.Name == name })
		if at < 0 {
			return ""
		}
		return string(rows.texts[at].Values.Get(int(j.first[edge])))
	}
	if s.Weight != "" && a.n.Weights == nil {
		a.n.Weights = j.weights(s.Weight)
	}
	if s.Edges != nil {
		row := newEncoder(s.Edges)
		a.n.Told.Cols = width(s.Edges) // whether or not d uses them
		for e := range a.n.Edges {
			row.row(func(k int) string { return text(s.Edges.Columns[k].Name, e) }, a.strange)
			a.n.Told.Values = row.below(a.n.Told.Values, a.n.Told.Cols)
		}
	}
	if a.n.Raw == nil {
		return
	}
	for k := range a.n.Raw.Edges {
		c := &a.n.Raw.Edges[k]
		for e := range a.n.Edges {
			c.Values.Append([]byte(text(c.Name, e)))
		}
	}
}

// finishNodes fills the columns that are made from edges, and encodes the newcomers and the old nodes whose columns
// they change.
func (a *arrivals) finishNodes() {
	made := a.madeOfRows()
	schema := &a.d.Schema.Types[0]
	raw := map[string]*dataset.Texts{}
	if a.n.Raw != nil && len(a.n.Raw.Nodes) == 1 {
		for k := range a.n.Raw.Nodes[0] {
			raw[a.n.Raw.Nodes[0][k].Name] = &a.n.Raw.Nodes[0][k].Values
		}
	}
	for _, c := range made.columns {
		at := slices.IndexFunc(schema.Columns, func(x dataset.Column) bool { return x.Name == c.name })
		if at < 0 {
			continue
		}
		texts := dataset.Texts{}
		for i := range a.cells {
			text := numberText(c.x[i])
			a.cells[i][at] = text
			texts.Append([]byte(text))
		}
		if old := raw[c.name]; old != nil {
			*old = texts
		}
	}
	for _, cells := range a.cells {
		a.encoder.row(func(k int) string { return cells[k] }, a.tell)
		a.encoder.appendTo(&a.n.Features)
	}
	a.touchOld(made)
}

// madeOfRows are the columns made from the new rows: first for the newcomers, then for the old nodes at their other
// ends.
type madeOfRows struct {
	old     []int32
	columns []madeColumn
}

func (a *arrivals) madeOfRows() (m madeOfRows) {
	rows, first := &a.newRows, int32(a.d.Graph.NumNodes())
	k := len(a.n.IDs)
	at := map[int32]int32{}
	short := func(v int32) int32 {
		if v >= first {
			return v - first
		}
		x, known := at[v]
		if !known {
			x = int32(k + len(m.old))
			at[v] = x
			m.old = append(m.old, v)
		}
		return x
	}
	src, dst := make([]int32, len(rows.src)), make([]int32, len(rows.dst))
	for i := range src {
		src[i], dst[i] = short(rows.src[i]), short(rows.dst[i])
	}
	values := a.values()
	for _, s := range a.d.Schema.Stats {
		names := s.Columns
		s.Numbers = nil
		r := pickRows(src, dst, rows.rel, values, &s, false)
		for _, c := range r.columns(k+len(m.old), func(string) bool { return true }) {
			if slices.Contains(names, c.name) {
				m.columns = append(m.columns, c)
			}
		}
	}
	return m
}

// touchOld combines the columns of old nodes with the new rows.
func (a *arrivals) touchOld(m madeOfRows) {
	if len(m.old) == 0 || len(m.columns) == 0 || a.d.Raw == nil || len(a.d.Raw.Nodes) != 1 {
		return
	}
	schema, n, k := &a.d.Schema.Types[0], a.n, len(a.n.IDs)
	columns := a.d.Raw.Nodes[0]
	at := map[string]int{}
	for j, c := range columns {
		at[c.Name] = j
	}
	for _, c := range m.columns {
		n.OldRaw = append(n.OldRaw, dataset.RawColumn{Name: c.name})
	}
	n.Old, n.OldFeatures = m.old, dataset.Matrix{Cols: n.Features.Cols}
	if n.Features.IsSparse() {
		n.OldFeatures.Ptr, n.OldFeatures.Values = []int64{0}, []mat.Real{}
	}
	for i, v := range m.old {
		was := func(name string) float64 {
			j, ok := at[name]
			if !ok {
				return math.NaN()
			}
			x, err := strconv.ParseFloat(string(columns[j].Values.Get(int(v))), 64)
			if err != nil {
				return math.NaN()
			}
			return x
		}
		now := map[string]string{}
		is := func(name string) float64 {
			for _, c := range m.columns {
				if c.name == name {
					return c.x[k+i]
				}
			}
			return math.NaN()
		}
		for j, c := range m.columns {
			text := numberText(together(c.name, was, is))
			now[c.name] = text
			n.OldRaw[j].Values.Append([]byte(text))
		}
		a.encoder.row(func(k int) string {
			name := schema.Columns[k].Name
			if text, ok := now[name]; ok {
				return text
			}
			return string(columns[at[name]].Values.Get(int(v)))
		}, func(int, string, outcome) {})
		a.encoder.appendTo(&n.OldFeatures)
	}
}

// together combines a column of a node from two sets of rows, was and is, whose partners are disjoint.
func together(name string, was, is func(string) float64) float64 {
	parts := strings.Split(name, ".")
	table, dir, stat := parts[0], "", parts[len(parts)-1]
	if stat == "in" || stat == "out" {
		dir, stat = "."+stat, parts[len(parts)-2]
		parts = parts[:len(parts)-1]
	}
	column := strings.Join(parts[:len(parts)-1], ".")
	x, y := was(name), is(name)
	if stat == "sd" { // undefined for one row
		if math.IsNaN(x) && was(table+".count"+dir) > 0 {
			x = 0
		}
		if math.IsNaN(y) && is(table+".count"+dir) > 0 {
			y = 0
		}
	}
	if math.IsNaN(x) {
		return y
	}
	if math.IsNaN(y) {
		return x
	}
	weighed := func(by string) float64 {
		a, b := was(by), is(by)
		return (x*a + y*b) / (a + b)
	}
	switch count := table + ".count" + dir; stat {
	case "count", "partners", "sum":
		return x + y
	case "repeats", "max", "first":
		return max(x, y)
	case "last":
		return min(x, y)
	case "mean", "trend":
		return weighed(count)
	case "sd": // Σ(x − mean)² of both parts
		a, b := was(count), is(count)
		d := was(column+".mean"+dir) - is(column+".mean"+dir)
		return math.Sqrt((a*x*x + b*y*y + d*d*a*b/(a+b)) / (a + b))
	case "share":
		by := column + ".sum" + dir
		if column == table {
			by = count
		}
		a, b := was(by), is(by)
		return max(x*a, y*b) / (a + b)
	case "reciprocity":
		partners := func(of func(string) float64, part float64) float64 {
			return (of(table+".partners.in") + of(table+".partners.out")) / (1 + part)
		}
		a, b := partners(was, x), partners(is, y)
		return (x*a + y*b) / (a + b)
	}
	return y
}
