package build

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// hubEdges is how many edges give a node a column of its own in WithCounts.
const hubEdges = 100

// WithCounts returns d with features for the nodes of all types that have none, n×(2|R|+k): for every relation and
// both directions
//
//	x_vr = log(1 + number of edges of relation r into v)    x_vr⁻ = log(1 + number out of v)
//
// and a column for each of the k nodes with at least 100 edges, which mean something by themselves: a class, a literal.
// All other nodes are told apart by their edges alone, so what is learnt about some holds for all.
func WithCounts(d *dataset.Dataset) *dataset.Dataset {
	out, g := *d, d.Graph
	out.Features = append([]dataset.Matrix(nil), d.Features...)
	into, from := g.In(), g.Out()
	count := func(p graph.Pattern, v int32, row []mat.Real) {
		_, edges := p.Row(int(v))
		for _, e := range edges {
			row[g.Relations()[e]]++
		}
	}
	relations := g.NumRelations()
	for t := range g.NumTypes() {
		if t < len(d.Features) && d.Features[t].Cols > 0 {
			continue
		}
		var hubs []int32
		nodes := g.NodesOfType(int32(t))
		for _, v := range nodes {
			if in, out := into.Ptr[v+1]-into.Ptr[v], from.Ptr[v+1]-from.Ptr[v]; in+out >= hubEdges {
				hubs = append(hubs, v)
			}
		}
		x := dataset.Matrix{Cols: 2*relations + len(hubs), Ptr: []int64{0}, Values: []mat.Real{}}
		row, hub := make([]mat.Real, x.Cols), 0
		for _, v := range nodes {
			clear(row)
			count(into, v, row[:relations])
			count(from, v, row[relations:])
			for r := range 2 * relations {
				row[r] = mat.Real(math.Log1p(float64(row[r])))
			}
			if hub < len(hubs) && hubs[hub] == v {
				row[2*relations+hub] = 1
				hub++
			}
			x.AppendRow(row)
		}
		for len(out.Features) <= t {
			out.Features = append(out.Features, dataset.Matrix{})
		}
		out.Features[t] = x
	}
	return &out
}
