package importer

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// edgeFeatures fits the columns of edges that are numbers or categories, like the columns of nodes, and encodes them as
// features of the edges of d. Other columns are only kept; so are all columns if memory does not suffice.
//
// Chosen: an edge that is there several times has the features and the weight of its first row.
func (im *importer) edgeFeatures(d *dataset.Dataset) error {
	isTime := func(c dataset.RawColumn) bool { // known not to be a feature
		return slices.ContainsFunc(im.schema.Stats, func(x dataset.EdgeStats) bool { return x.Time.Name == c.Name })
	}
	columns, err := im.fitRaw(slices.DeleteFunc(slices.Clone(im.raw.Edges), isTime), func(*dataset.RawColumn) {})
	if err != nil {
		return err
	}
	s := &dataset.TypeSchema{Name: dataset.OfEdges}
	for _, c := range columns {
		if c.Kind == dataset.Number || c.Kind == dataset.Category {
			s.Columns = append(s.Columns, c)
		}
	}
	if len(s.Columns) == 0 {
		return nil
	}
	f, err := im.tellEdges(s, im.raw.Edges, d.Graph.NumEdges())
	if err != nil {
		im.note("columns of edges are kept, but not as features: %v", err)
		return nil
	}
	if d.Graph, err = d.Graph.WithEdges(d.Graph.Weights(), f); err != nil {
		return err
	}
	im.schema.Edges = s
	for _, c := range s.Columns {
		im.report.Missing += c.Missing
	}
	im.tell(s)
	return nil
}

// tell reports the columns that became features, in every table that has them.
func (im *importer) tell(s *dataset.TypeSchema) {
	for i := range im.report.Edges {
		t := &im.report.Edges[i]
		t.Roles = slices.DeleteFunc(t.Roles, func(r columnRole) bool {
			at := slices.IndexFunc(s.Columns, func(c dataset.Column) bool {
				return r.Role == "kept" && c.Name == r.Column
			})
			if at >= 0 {
				t.Columns = append(t.Columns, s.Columns[at])
			}
			return at >= 0
		})
	}
}

// tellEdges returns the features of the given number of edges, whose values raw holds.
func (im *importer) tellEdges(s *dataset.TypeSchema, raw []dataset.RawColumn, edges int) (graph.Features, error) {
	f := graph.Features{Cols: width(s)}
	numbers := edges * f.Cols
	err := im.budget.Take(int64(numbers)*int64(unsafe.Sizeof(mat.Real(0))),
		fmt.Sprintf("%d features of %d edges", f.Cols, edges))
	if err != nil {
		return graph.Features{}, err
	}
	texts := make([]*dataset.Texts, len(s.Columns))
	for k, c := range s.Columns {
		at := slices.IndexFunc(raw, func(x dataset.RawColumn) bool { return x.Name == c.Name })
		if at < 0 || raw[at].Values.Len() < edges {
			return graph.Features{}, fmt.Errorf("edges have no column %q", c.Name)
		}
		texts[k] = &raw[at].Values
	}
	f.Values = make([]mat.Real, numbers)
	encodeDense(s, texts, f.Values, edges)
	return f, nil
}
