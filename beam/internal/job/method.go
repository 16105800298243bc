package job

import (
	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// method is a way to compute H from features, in rounds; see Rounds for Len, Told, Level and Kept.
type method interface {
	Len() int
	Told(done int) int
	Level(done int) int
	Kept(level int) int
	// firstRows returns the rows of nodes before the first round, by their features, which are scaled.
	firstRows(x dataset.Matrix) (Rows, error)
	// onPart returns the round of a part, and how many bytes it takes to keep it.
	onPart(p *parts.Part) (next, int, error)
}

// next computes the rows of a part after round done + 1, from what it and its halo told and from what it kept.
type next func(done int, heard, kept []mat.Real) (Rows, error)

// general is a stack of any energies, by the code of one machine.
type general struct {
	*Rounds
	inverses  bool   // edges are wanted both ways, as two relations
	relations int    // of a graph that has types or several of them; 0 for others
	kinds     *kinds // π by the types of nodes; nil if it is of features alone
}

var _ method = (*general)(nil)

func (g *general) firstRows(x dataset.Matrix) (Rows, error) {
	m, err := mat.Load(x.Rows, x.Cols, x.Values)
	if err != nil {
		return Rows{}, err
	}
	return g.FirstRows(input.Dense(m))
}

// onPart builds the graph of a part and its halo, whose nodes have the degrees that they have in all of the graph.
func (g *general) onPart(p *parts.Part) (next, int, error) {
	part, err := graphOf(p, g.relations)
	if err != nil {
		return nil, 0, err
	}
	ends := 1
	if g.inverses {
		ends = 2
		if part, err = part.WithInverse(); err != nil {
			return nil, 0, err
		}
	}
	on := energy.NewStructure(part)
	for _, d := range p.Degrees {
		on.Whole = append(on.Whole, mat.Real(ends*int(d)))
	}
	const edge = 64 // bytes: its ends, its relation, and its places in three patterns
	return func(done int, heard, kept []mat.Real) (Rows, error) {
		return g.Next(done, on, heard, kept)
	}, edge * part.NumEdges(), nil
}

// graphOf returns the graph of a part and its halo: all edges with an own end, from the smaller to the larger number
// that their ends have in the whole graph, as ondisk.Read has them. With relations it is part of a graph with that
// number of relations, and edges keep their direction.
func graphOf(p *parts.Part, relations int) (*graph.Graph, error) {
	n := int32(p.Rows())
	before := n // rows of the halo that come before own ones in the whole graph
	for _, q := range p.Peers {
		if q.Number < p.Number {
			before += int32(q.Rows)
		}
	}
	spec := graph.Spec{Nodes: p.Rows() + p.Halo(), Undirected: relations == 0, Relations: relations,
		Sources: []int32{}}
	for r := range n {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			v := p.Idx[e]
			into := relations > 0 && p.Code[e]%2 == 1 || relations == 0 && v >= n && v < before
			switch {
			case into && v >= n:
				spec.Sources, spec.Targets = append(spec.Sources, v), append(spec.Targets, r)
			case into || relations == 0 && v <= r:
				continue // of own edges the other end lists it too
			default:
				spec.Sources, spec.Targets = append(spec.Sources, r), append(spec.Targets, v)
			}
			if relations > 0 {
				spec.Relation = append(spec.Relation, p.Code[e]/2)
			}
		}
	}
	return graph.Build(spec)
}
