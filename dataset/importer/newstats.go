package importer

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// newRows are the rows of edges of newcomers, including duplicates.
type newRows struct {
	src, dst, rel []int32
	texts         []dataset.RawColumn // in the columns of the old edges
	repeats       int
	all           *dataset.EdgeRows // with numbers and times
}

// readValues reads the numbers and times of all rows.
func (a *arrivals) readValues() {
	rows := &a.newRows
	rows.all = &dataset.EdgeRows{Src: rows.src, Dst: rows.dst, Rel: rows.rel,
		Columns: readRows(rowColumns(a.d), textsOf(rows.texts), len(rows.src))}
	if a.n.Raw != nil && a.d.Raw.Rows != nil {
		a.n.Raw.Rows = rows.all
	}
}

// finishEdges sets what is known of new edges once all rows are read: their features, texts and weights.
func (a *arrivals) finishEdges() {
	s, rows := a.d.Schema, &a.newRows
	if len(a.n.Edges) == 0 {
		return
	}
	n := int(max(slices.Max(rows.src), slices.Max(rows.dst))) + 1
	j := joinRows(n, rows.all, a.d.Graph.Undirected(), rowColumns(a.d))
	text := func(name string, edge int) string {
		if x := j.column(name); x != nil {
			return numberText(x[edge])
		}
		if t := textsOf(rows.texts)(name); t != nil {
			return t.Text(int(j.first[edge]))
		}
		return ""
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
	first, schema := int32(a.d.Graph.NumNodes()), &a.d.Schema.Types[0]
	stats := a.statistics()
	for i, cells := range a.cells {
		if stats != nil {
			v := first + int32(i)
			a.fill(cells, stats.Columns(v, a.rowsOf(v)))
			a.keepMade(i, cells)
		}
		a.encoder.row(func(k int) string { return cells[k] }, a.tell)
		a.encoder.appendTo(&a.n.Features)
	}
	old := a.touched()
	switch {
	case stats == nil || len(old) == 0 || a.d.Raw == nil || len(a.d.Raw.Nodes) != 1:
		return
	case a.d.Raw.Rows == nil:
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("columns that are made from edges stay as they were for %d old "+
			"nodes: the rows of these edges were not kept; import the tables again", len(old)))
		return
	}
	n := a.n
	for _, c := range schema.Columns {
		if a.d.Schema.Made(c.Name) {
			n.OldRaw = append(n.OldRaw, dataset.RawColumn{Name: c.Name})
		}
	}
	n.Old, n.OldFeatures = old, dataset.Matrix{Cols: n.Features.Cols}
	if n.Features.IsSparse() {
		n.OldFeatures.Ptr, n.OldFeatures.Values = []int64{0}, []mat.Real{}
	}
	was := textsOf(a.d.Raw.Nodes[0])
	for _, v := range old {
		cells := make([]string, len(schema.Columns))
		for k, c := range schema.Columns {
			if t := was(c.Name); t != nil {
				cells[k] = t.Text(int(v))
			}
		}
		a.fill(cells, stats.Columns(v, append(stats.Rows(v), a.rowsOf(v)...)))
		a.encoder.row(func(k int) string { return cells[k] }, func(int, string, outcome) {})
		a.encoder.appendTo(&n.OldFeatures)
		for j := range n.OldRaw {
			k := slices.IndexFunc(schema.Columns, func(c dataset.Column) bool { return c.Name == n.OldRaw[j].Name })
			n.OldRaw[j].Values.Append([]byte(cells[k]))
		}
	}
}

// statistics returns what makes columns from edges; nil if none were made. Without the old rows it knows the new ones.
func (a *arrivals) statistics() *Statistics {
	if s := NewStatistics(a.d); s != nil || len(a.d.Schema.Stats) == 0 {
		return s
	}
	return &Statistics{schema: a.d.Schema, columns: rowColumns(a.d)}
}

// fill sets the made columns of a row of the table of nodes.
func (a *arrivals) fill(cells []string, made map[string]float64) {
	for k, c := range a.d.Schema.Types[0].Columns {
		if x, ok := made[c.Name]; ok {
			cells[k] = numberText(x)
		}
	}
}

// keepMade keeps the made columns of newcomer i.
func (a *arrivals) keepMade(i int, cells []string) {
	if a.n.Raw == nil || len(a.n.Raw.Nodes) != 1 {
		return
	}
	for k := range a.n.Raw.Nodes[0] {
		c := &a.n.Raw.Nodes[0][k]
		if !a.d.Schema.Made(c.Name) {
			continue
		}
		if i == 0 {
			c.Values = dataset.Texts{}
		}
		at := slices.IndexFunc(a.d.Schema.Types[0].Columns, func(x dataset.Column) bool { return x.Name == c.Name })
		c.Values.Append([]byte(cells[at]))
	}
}

// touched returns the old nodes that new rows lead to, in the order of the rows.
func (a *arrivals) touched() (old []int32) {
	seen := map[int32]bool{}
	for i, u := range a.newRows.src {
		for _, v := range []int32{u, a.newRows.dst[i]} {
			if int(v) < a.d.Graph.NumNodes() && !seen[v] {
				seen[v] = true
				old = append(old, v)
			}
		}
	}
	return old
}

// rowsOf returns the new rows of node v.
func (a *arrivals) rowsOf(v int32) []EdgeRow {
	if a.byNode == nil {
		a.byNode = map[int32][]EdgeRow{}
		rows := a.newRows.all
		for i, u := range rows.Src {
			r := EdgeRow{Src: u, Dst: rows.Dst[i], Rel: rows.Rel[i]}
			for _, c := range rows.Columns {
				r.Values = append(r.Values, c.Values[i])
			}
			a.byNode[u] = append(a.byNode[u], r)
			if r.Dst != u {
				a.byNode[r.Dst] = append(a.byNode[r.Dst], r)
			}
		}
	}
	return a.byNode[v]
}
