package importer

import (
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// edges writes the table of edges: the graph first, then Valid and Test.
func (x *exporter) edges() error {
	g := x.d.Graph
	n, valid := g.NumEdges(), g.NumEdges()+len(x.d.Valid)
	edge := func(i int) graph.Triple {
		switch {
		case i < n:
			return g.Edge(int32(i))
		case i < valid:
			return x.d.Valid[i-n]
		}
		return x.d.Test[i-valid]
	}
	o := &outTable{rows: valid + len(x.d.Test)}
	o.add("source", func(dst []byte, i int) []byte { return append(dst, x.d.IDs.At(edge(i).U)...) })
	o.add("target", func(dst []byte, i int) []byte { return append(dst, x.d.IDs.At(edge(i).V)...) })
	if types := g.NodeTypes(); types != nil {
		o.add("source_type", func(dst []byte, i int) []byte { return append(dst, x.d.TypeName(types[edge(i).U])...) })
		o.add("target_type", func(dst []byte, i int) []byte { return append(dst, x.d.TypeName(types[edge(i).V])...) })
	}
	if g.NumRelations() > 1 || len(x.d.Relations) > 0 {
		o.add("relation", func(dst []byte, i int) []byte { return append(dst, x.d.RelationName(edge(i).R)...) })
	}
	var raw []dataset.RawColumn
	if x.d.Raw != nil {
		raw = x.d.Raw.Edges
	}
	x.rawColumns(o, raw)
	if w := g.Weights(); w != nil && !o.has("weight") {
		o.add("weight", func(dst []byte, i int) []byte {
			if i >= n {
				return dst
			}
			return strconv.AppendFloat(dst, float64(w[i]), 'g', -1, 32)
		})
	}
	if (len(x.d.Valid) > 0 || len(x.d.Test) > 0) && !o.has(splitColumn) {
		o.add(splitColumn, func(dst []byte, i int) []byte {
			switch {
			case i < n:
				return append(dst, "train"...)
			case i < valid:
				return append(dst, "valid"...)
			}
			return append(dst, "test"...)
		})
	}
	x.spec.Edges = []Input{{Table: x.path("edges")}}
	return x.write(x.spec.Edges[0].Table, o)
}
