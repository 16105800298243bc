package native

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
)

// metaRaw is the names of raw columns.
type metaRaw struct {
	Nodes [][]string `json:"nodes"`
	Edges []string   `json:"edges"`
}

func newMetaRaw(r *dataset.Raw) *metaRaw {
	if r == nil {
		return nil
	}
	names := func(columns []dataset.RawColumn) []string {
		list := make([]string, len(columns))
		for i, c := range columns {
			list[i] = c.Name
		}
		return list
	}
	m := &metaRaw{Edges: names(r.Edges)}
	for _, columns := range r.Nodes {
		m.Nodes = append(m.Nodes, names(columns))
	}
	return m
}

// rawColumns returns the columns of nodes, type by type, then the columns of edges.
func rawColumns(r *dataset.Raw) []*dataset.RawColumn {
	var list []*dataset.RawColumn
	for _, columns := range append(r.Nodes[:len(r.Nodes):len(r.Nodes)], r.Edges) {
		for i := range columns {
			list = append(list, &columns[i])
		}
	}
	return list
}

// addRaw collects the raw columns.
func (w *nativeWriter) addRaw(r *dataset.Raw) {
	if r == nil {
		return
	}
	for i, c := range rawColumns(r) {
		put(w, sectionRawEnds, i, c.Values.Ends)
		put(w, sectionRawBytes, i, c.Values.Bytes)
	}
}

// raw takes the raw columns that m names.
func (p *partTaker) raw(m *metaRaw) *dataset.Raw {
	if m == nil {
		return nil
	}
	named := func(names []string) []dataset.RawColumn {
		columns := make([]dataset.RawColumn, len(names))
		for i, name := range names {
			columns[i].Name = name
		}
		return columns
	}
	r := &dataset.Raw{Edges: named(m.Edges)}
	for _, names := range m.Nodes {
		r.Nodes = append(r.Nodes, named(names))
	}
	for i, c := range rawColumns(r) {
		c.Values = dataset.Texts{Ends: take[int64](p, sectionRawEnds, i), Bytes: take[byte](p, sectionRawBytes, i)}
	}
	return r
}

// checkRaw compares the raw columns with the graph.
func checkRaw(d *dataset.Dataset, _ int) *flaw {
	if d.Raw == nil {
		return nil
	}
	if n := len(d.Raw.Nodes); n > 0 && n != d.Graph.NumTypes() {
		return &flaw{sectionMeta, 0, fmt.Sprintf("raw columns of %d node types, the graph has %d", n,
			d.Graph.NumTypes())}
	}
	item := uint32(0)
	check := func(columns []dataset.RawColumn, rows int) *flaw {
		for _, c := range columns {
			if wrong := checkRawColumn(&c, item, rows); wrong != nil {
				return wrong
			}
			item++
		}
		return nil
	}
	for t, columns := range d.Raw.Nodes {
		if wrong := check(columns, len(d.Graph.NodesOfType(int32(t)))); wrong != nil {
			return wrong
		}
	}
	return check(d.Raw.Edges, d.Graph.NumEdges()+len(d.Valid)+len(d.Test))
}

// checkRawColumn checks the ends of the texts of a column.
func checkRawColumn(c *dataset.RawColumn, item uint32, rows int) *flaw {
	if len(c.Values.Ends) != rows {
		return &flaw{sectionRawEnds, item, fmt.Sprintf("raw column %q has %d rows, want %d", c.Name,
			len(c.Values.Ends), rows)}
	}
	return checkEnds(sectionRawEnds, item, "text", c.Values.Ends, c.Values.Bytes)
}
