package native

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
)

type metaRaw struct {
	Nodes [][]string `json:"nodes"`
	Edges []string   `json:"edges"`
	Rows  []string   `json:"rows,omitzero"` // columns of rows of edges; nil if there are no rows
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
	if r.Rows != nil {
		m.Rows = []string{}
		for _, c := range r.Rows.Columns {
			m.Rows = append(m.Rows, c.Name)
		}
	}
	return m
}

// raw returns the columns that m names, without values.
func (m *metaRaw) raw() *dataset.Raw {
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
	if m.Rows != nil {
		r.Rows = &dataset.EdgeRows{}
		for _, name := range m.Rows {
			r.Rows.Columns = append(r.Rows.Columns, dataset.NumberColumn{Name: name})
		}
	}
	return r
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

// checkRaw compares the raw columns with the graph.
func checkRaw(d *dataset.Dataset, _ int) *flaw {
	if d.Raw == nil {
		return nil
	}
	if n := len(d.Raw.Nodes); n > 0 && n != d.Graph.NumTypes() {
		return flawAt(sectionMeta, 0, "raw columns of %d node types, the graph has %d", n,
			d.Graph.NumTypes())
	}
	item := uint32(0)
	check := func(columns []dataset.RawColumn, rows int) *flaw {
		for _, c := range columns {
			if c.Values.Len() != rows || c.Values.Numbers != nil && c.Values.Ends != nil {
				return flawAt(sectionRawEnds, item, "raw column %q has %d rows, want %d", c.Name, c.Values.Len(), rows)
			}
			if wrong := checkEnds(sectionRawEnds, item, "text", c.Values.Ends, c.Values.Bytes); wrong != nil {
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
	if wrong := check(d.Raw.Edges, d.Graph.NumEdges()+len(d.Valid)+len(d.Test)); wrong != nil {
		return wrong
	}
	return checkRows(d.Raw.Rows, d.Graph.NumNodes())
}

// checkRows checks the rows of edges of a graph with n nodes.
func checkRows(r *dataset.EdgeRows, n int) *flaw {
	if r == nil {
		return nil
	}
	rows := len(r.Src)
	if len(r.Dst) != rows || r.Rel != nil && len(r.Rel) != rows {
		return flawAt(sectionRowSources, 0, "rows of edges have %d sources, %d targets and %d relations",
			rows, len(r.Dst), len(r.Rel))
	}
	for i, c := range r.Columns {
		if len(c.Values) != rows {
			return flawAt(sectionRowValues, uint32(i), "column %q of rows of edges has %d values, want %d",
				c.Name, len(c.Values), rows)
		}
	}
	for k, ends := range [][]int32{r.Src, r.Dst} {
		for _, v := range ends {
			if v < 0 || int(v) >= n {
				return &flaw{sectionRowSources + sectionKind(k), 0,
					fmt.Sprintf("a row of edges has node %d of %d", v, n)}
			}
		}
	}
	return nil
}
