package importer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// Statistics computes the columns of nodes that are made from edges while edges come and go. It starts from the rows
// of the import, to which callers make changes.
type Statistics struct {
	schema  *dataset.Schema
	rows    *dataset.EdgeRows
	ptr     []int32 // the rows of node v are list[ptr[v]:ptr[v+1]]
	list    []int32
	columns []dataset.Column // of rows
	as      *asOf
	end     float64 // the time of nodes that d does not have
}

// EdgeRow is a row of a table of edges.
type EdgeRow struct {
	Src, Dst, Rel int32
	Values        []float64 // as Statistics.Read returns them; NaN if missing
}

func edgeRow(rows *dataset.EdgeRows, i int) EdgeRow {
	r := EdgeRow{Src: rows.Src[i], Dst: rows.Dst[i], Rel: rows.Relation(i), Values: make([]float64, len(rows.Columns))}
	for k, c := range rows.Columns {
		r.Values[k] = c.Values[i]
	}
	return r
}

// NewStatistics returns the statistics of d; nil if no columns were made from its edges, or the rows were not kept.
func NewStatistics(d *dataset.Dataset) *Statistics {
	if d.Schema == nil || len(d.Schema.Stats) == 0 || d.Raw == nil || d.Raw.Rows == nil {
		return nil
	}
	s := &Statistics{schema: d.Schema, rows: d.Raw.Rows, columns: rowColumns(d), as: asOfData(d)}
	if s.as != nil {
		s.end = s.as.end(s.rows)
	}
	n, rows := d.Graph.NumNodes(), len(s.rows.Src)
	ends := slices.Concat(s.rows.Src, s.rows.Dst)
	for i, u := range s.rows.Src {
		if ends[rows+i] == u {
			ends[rows+i] = -1 // a loop is one row
		}
	}
	s.ptr, s.list = groupRows(n, ends)
	for i := range s.list {
		s.list[i] %= int32(rows)
	}
	for v := range n {
		slices.Sort(s.list[s.ptr[v]:s.ptr[v+1]])
	}
	return s
}

// Rows returns the rows of node v as they were imported.
func (s *Statistics) Rows(v int32) []EdgeRow {
	if int(v)+1 >= len(s.ptr) {
		return nil
	}
	rows := make([]EdgeRow, 0, s.ptr[v+1]-s.ptr[v])
	for _, i := range s.list[s.ptr[v]:s.ptr[v+1]] {
		rows = append(rows, edgeRow(s.rows, int(i)))
	}
	return rows
}

// Read reads the values of a row, given as in a table by the names of columns. It returns what they are, and the
// columns that have no value.
func (s *Statistics) Read(texts map[string]string) (values []float64, missing []string, err error) {
	known := map[string]bool{}
	raw := func(name string) *dataset.Texts {
		known[name] = true
		t := &dataset.Texts{}
		t.Append([]byte(texts[name]))
		return t
	}
	var names []string
	for k := range s.columns {
		c := &s.columns[k]
		x := readColumn(c, raw, 1)[0]
		if math.IsNaN(x) {
			missing = append(missing, c.Name)
		}
		values, names = append(values, x), append(names, c.Name)
	}
	for name, text := range texts {
		if !known[name] {
			return nil, nil, fmt.Errorf("edges have no column %q; columns are %s", name, strings.Join(names, ", "))
		}
		if !IsMissing(strings.TrimSpace(text)) && slices.Contains(missing, name) &&
			!slices.ContainsFunc(s.columns, func(c dataset.Column) bool {
				return c.Name == name && c.Kind == dataset.Category // a level that was never seen
			}) {
			return nil, nil, fmt.Errorf("column %q of an edge is %.40q, which cannot be read", name, text)
		}
	}
	return values, missing, nil
}

// rowColumns returns the columns of the rows that statistics of d are made from, in the order in which rows have them.
func rowColumns(d *dataset.Dataset) (list []dataset.Column) {
	if d.Schema == nil {
		return nil
	}
	if d.Raw != nil && d.Raw.Rows != nil {
		for _, c := range d.Raw.Rows.Columns {
			list = append(list, dataset.Column{Name: c.Name})
		}
	}
	add := func(c dataset.Column) {
		at := slices.IndexFunc(list, func(x dataset.Column) bool { return x.Name == c.Name })
		if at >= 0 {
			list[at] = c
		} else if c.Name != "" && (d.Raw == nil || d.Raw.Rows == nil) {
			list = append(list, c)
		}
	}
	for _, x := range d.Schema.Stats {
		for _, c := range slices.Concat(x.Numbers, x.Categories) {
			add(c)
		}
		add(x.Time)
	}
	return list
}

// among returns the times of some nodes with their rows.
func (s *Statistics) among(nodes []int32, rows *dataset.EdgeRows) *asOf {
	if s.as == nil {
		return nil
	}
	few := *s.as
	few.at = make([]float64, len(nodes))
	for i, v := range nodes {
		few.at[i] = s.at(v)
	}
	now := few.end(rows)
	for i, v := range nodes {
		if int(v) >= len(s.as.at) {
			few.at[i] = now
		}
	}
	return &few
}

// at returns the time of a node, which is now for one that d does not have.
func (s *Statistics) at(v int32) float64 {
	if int(v) < len(s.as.at) {
		return s.as.at[v]
	}
	return s.end
}

// Together reports whether an edge between two nodes may be in the graph: not where nodes have times, unless they have
// the same.
func (s *Statistics) Together(u, v int32) bool { return s.as == nil || s.at(u) == s.at(v) }

// Columns returns the columns of node v that are made from its rows, NaN if there is no value.
func (s *Statistics) Columns(v int32, rows []EdgeRow) map[string]float64 {
	nodes := []int32{v}
	for _, r := range rows {
		nodes = append(nodes, r.Src, r.Dst)
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes) // in their order, so that sums are rounded alike
	place := func(u int32) int32 {
		at, _ := slices.BinarySearch(nodes, u)
		return int32(at)
	}
	few := &dataset.EdgeRows{}
	for _, c := range s.columns {
		few.Columns = append(few.Columns, dataset.NumberColumn{Name: c.Name})
	}
	for _, r := range rows {
		few.Src, few.Dst, few.Rel = append(few.Src, place(r.Src)), append(few.Dst, place(r.Dst)), append(few.Rel, r.Rel)
		for k := range few.Columns {
			few.Columns[k].Values = append(few.Columns[k].Values, r.Values[k])
		}
	}
	out, at, as := map[string]float64{}, place(v), s.among(nodes, few)
	for i := range s.schema.Stats {
		stats := &s.schema.Stats[i]
		for _, c := range pickRows(stats, few).asOf(as, few).columns(len(nodes), func(string) bool { return true }) {
			if slices.Contains(stats.Columns, c.name) {
				out[c.name] = c.x[at]
			}
		}
	}
	return out
}
