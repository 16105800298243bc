package graph

import "github.com/bloomgml/bloom/mat"

// direction says which edges of a node are meant.
type direction uint8

const (
	Incoming direction = iota // edges whose target it is: where its messages come from
	Outgoing                  // edges whose source it is
	Either                    // edges with an end there, a self loop once
)

// Degrees returns for every node its number of edges in direction d. Either is the degree of an
// undirected graph; there Incoming and Outgoing follow the orientation edges were given in.
func (g *Graph) Degrees(d direction) []int32 {
	deg := make([]int32, g.nodes)
	for e, u := range g.src {
		v := g.dst[e]
		if d != Outgoing {
			deg[v]++
		}
		if d == Outgoing || d == Either && u != v {
			deg[u]++
		}
	}
	return deg
}

// WeightedDegrees returns for every node the summed weight of its edges in direction d. Sums run
// in double precision over neighbours in ascending order.
func (g *Graph) WeightedDegrees(d direction) []mat.Real {
	sum := make([]float64, g.nodes)
	switch {
	case d == Outgoing:
		p := g.Out()
		g.addRows(sum, &p, false)
	case d == Either && g.undirected:
		p := g.Adjacency()
		g.addRows(sum, &p, false)
	case d == Either:
		p := g.Out()
		g.addRows(sum, &p, true)
		fallthrough
	default:
		p := g.In()
		g.addRows(sum, &p, false)
	}
	deg := make([]mat.Real, g.nodes)
	for v, s := range sum {
		deg[v] = mat.Real(s)
	}
	return deg
}

// addRows adds to sum the weights of every row of p, without the diagonal if so asked.
func (g *Graph) addRows(sum []float64, p *Pattern, skipLoops bool) {
	for v := range p.Rows {
		idx, edge := p.Row(v)
		for i, u := range idx {
			if !skipLoops || int(u) != v {
				sum[v] += float64(g.weightOf(edge[i]))
			}
		}
	}
}
