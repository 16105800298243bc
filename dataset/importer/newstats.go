package importer

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// finishEdges merges the rows of duplicate new edges, and sets their features, texts and weights.
func (a *arrivals) finishEdges(e *edgeImport) {
	for i := range e.extra {
		pad(&e.extra[i].Values, len(e.src))
	}
	columns, texts := rowColumns(a.d), textsOf(e.extra)
	a.rows = &dataset.EdgeRows{Src: e.src, Dst: e.dst, Rel: e.rel, Columns: readRows(columns, texts, len(e.src))}
	if a.rows.Rel == nil {
		a.rows.Rel = make([]int32, len(e.src))
	}
	j, made := joinRows(a.nodes.count(), a.rows, a.d.Graph.Undirected()), map[string][]float64{}
	if repeats := len(e.src) - len(j.first); repeats > 0 {
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("%d rows repeat a new edge and are merged with it", repeats))
	}
	for _, i := range j.first {
		if a.stats != nil && !a.stats.Together(e.src[i], e.dst[i]) {
			continue
		}
		a.n.Edges = append(a.n.Edges, graph.Triple{U: e.src[i], R: a.rows.Rel[i], V: e.dst[i]})
		if e.weight != nil {
			a.n.Weights = append(a.n.Weights, e.weight[i])
		}
	}
	text := func(name string, edge int) string {
		if _, known := made[name]; !known {
			made[name] = j.column(name, a.rows, columns)
		}
		if x := made[name]; x != nil {
			return numberText(x[edge])
		}
		if t := texts(name); t != nil {
			return t.Text(int(j.first[edge]))
		}
		return ""
	}
	if s := a.d.Schema; s != nil && len(a.n.Edges) > 0 {
		if s.Weight != "" && a.n.Weights == nil {
			a.n.Weights = logWeights(j.column(s.Weight, a.rows, columns))
		}
		a.tellEdges(s.Edges, text)
	}
	if a.d.Raw == nil {
		return
	}
	a.n.Raw = &dataset.Raw{}
	for _, c := range a.d.Raw.Edges {
		kept := dataset.RawColumn{Name: c.Name}
		for edge := range a.n.Edges {
			kept.Values.Append([]byte(text(c.Name, edge)))
		}
		a.n.Raw.Edges = append(a.n.Raw.Edges, kept)
	}
	if a.d.Raw.Rows != nil {
		a.n.Raw.Rows = a.rows
	}
}

// tellEdges encodes the columns of new edges.
func (a *arrivals) tellEdges(s *dataset.TypeSchema, text func(name string, edge int) string) {
	if s == nil {
		return
	}
	row, list := newEncoder(s), make([]oddValues, len(s.Columns))
	a.n.Told.Cols = width(s) // whether or not the old data use them
	for e := range a.n.Edges {
		row.row(func(k int) string { return text(s.Columns[k].Name, e) },
			func(k int, text string, o outcome) { a.n.Filled += list[k].add(text, o) })
		a.n.Told.Values = row.below(a.n.Told.Values, a.n.Told.Cols)
	}
	a.noteOdd(s.Columns, list)
}

// finishNodes encodes the newcomers and the old nodes whose columns they change, with the columns that are made from
// edges.
func (a *arrivals) finishNodes() {
	a.n.Features = make([]dataset.Matrix, len(a.d.Features))
	for t := range a.n.Features {
		a.n.Features[t] = a.matrix(t)
	}
	s := a.d.Schema
	if s == nil {
		s = &dataset.Schema{Types: []dataset.TypeSchema{a.plain}}
	}
	stats := a.stats
	if a.n.Raw != nil {
		a.n.Raw.Nodes = make([][]dataset.RawColumn, len(a.d.Raw.Nodes))
	}
	for t := range s.Types {
		r := &rowsOfType{a, t, &s.Types[t], newEncoder(&s.Types[t]), stats}
		list := make([]oddValues, len(r.schema.Columns))
		r.newRows(func(k int, text string, o outcome) { a.n.Filled += list[k].add(text, o) })
		a.noteOdd(r.schema.Columns, list)
	}
	a.oldRows(stats)
}

// rowsOfType encodes nodes of one type.
type rowsOfType struct {
	*arrivals
	t       int
	schema  *dataset.TypeSchema
	encoder *encoder
	stats   *Statistics
}

// cells returns the texts of a node in the columns of the schema; texts finds columns, of which it has a row.
func (r *rowsOfType) cells(texts func(string) *dataset.Texts, row int, v int32, rows []EdgeRow) []string {
	cells := make([]string, len(r.schema.Columns))
	var made map[string]float64
	if r.stats != nil {
		made = r.stats.Columns(v, rows)
	}
	for k, c := range r.schema.Columns {
		if x, ok := made[c.Name]; ok {
			cells[k] = numberText(x)
		} else if t := texts(c.Name); t != nil && row < t.Len() {
			cells[k] = t.Text(row)
		}
	}
	return cells
}

// newRows encodes the newcomers; tell is told the outcome of every value.
func (r *rowsOfType) newRows(tell func(k int, text string, o outcome)) {
	texts, row := textsOf(r.raw.Nodes[r.t]), 0
	var kept []dataset.RawColumn
	if r.n.Raw != nil && r.t < len(r.d.Raw.Nodes) {
		for _, c := range r.d.Raw.Nodes[r.t] {
			kept = append(kept, dataset.RawColumn{Name: c.Name})
		}
		r.n.Raw.Nodes[r.t] = kept
	}
	for v := r.nodes.known; v < r.nodes.count(); v++ {
		if r.n.Types != nil && int(r.n.Types[v-r.nodes.known]) != r.t {
			continue
		}
		cells := r.cells(texts, row, int32(v), r.rowsOf(int32(v)))
		r.encoder.row(func(k int) string { return cells[k] }, tell)
		r.encoder.appendTo(&r.n.Features[r.t])
		for k := range kept {
			at := slices.IndexFunc(r.schema.Columns, func(c dataset.Column) bool { return c.Name == kept[k].Name })
			if x := texts(kept[k].Name); at >= 0 {
				kept[k].Values.Append([]byte(cells[at]))
			} else if x != nil && row < x.Len() {
				kept[k].Values.Append(x.Get(row))
			} else {
				kept[k].Values.Append(nil)
			}
		}
		row++
	}
}

// oldRows encodes the old nodes that new rows lead to, if columns are made from edges.
func (a *arrivals) oldRows(stats *Statistics) {
	old := a.touched()
	switch {
	case stats == nil || len(old) == 0 || a.d.Raw == nil || len(a.d.Raw.Nodes) != len(a.d.Features):
		return
	case a.d.Raw.Rows == nil:
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("columns that are made from edges stay as they were for %d old "+
			"nodes: the rows of these edges were not kept; import the tables again", len(old)))
		return
	}
	a.n.Old = make([]dataset.OldRows, len(a.d.Features))
	for t := range a.n.Old {
		schema, o := &a.d.Schema.Types[t], &a.n.Old[t]
		r := &rowsOfType{a, t, schema, newEncoder(schema), stats}
		o.Features = a.matrix(t)
		var made []int
		for k, c := range schema.Columns {
			if a.d.Schema.Made(c.Name) {
				o.Raw, made = append(o.Raw, dataset.RawColumn{Name: c.Name}), append(made, k)
			}
		}
		nodes, was := a.d.Graph.NodesOfType(int32(t)), textsOf(a.d.Raw.Nodes[t])
		for _, v := range old {
			row, mine := slices.BinarySearch(nodes, v)
			if !mine {
				continue
			}
			o.Rows = append(o.Rows, int32(row))
			cells := r.cells(was, row, v, append(stats.Rows(v), a.rowsOf(v)...))
			r.encoder.row(func(k int) string { return cells[k] }, func(int, string, outcome) {})
			r.encoder.appendTo(&o.Features)
			for j, k := range made {
				o.Raw[j].Values.Append([]byte(cells[k]))
			}
		}
	}
}

// touched returns the old nodes that new rows lead to, in the order of the rows.
func (a *arrivals) touched() (old []int32) {
	seen := map[int32]bool{}
	for i, u := range a.rows.Src {
		for _, v := range []int32{u, a.rows.Dst[i]} {
			if int(v) < a.nodes.known && !seen[v] {
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
		for i, u := range a.rows.Src {
			r := edgeRow(a.rows, i)
			a.byNode[u] = append(a.byNode[u], r)
			if r.Dst != u {
				a.byNode[r.Dst] = append(a.byNode[r.Dst], r)
			}
		}
	}
	return a.byNode[v]
}
