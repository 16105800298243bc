package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// NewSigned is the graph Ḡ = G ∪ G⁻ of true and false edges; negative[e] says that edge e is false.
func NewSigned(g *graph.Graph, negative []bool) *Structure {
	if len(negative) != g.NumEdges() {
		panic(fmt.Sprintf("energy: %d signs for %d edges", len(negative), g.NumEdges()))
	}
	return &Structure{Graph: g, negative: append([]bool(nil), negative...)}
}

// WithNegatives is G ∪ G⁻ for a graph and a list of false triples, which follow its edges with weight 1.
func WithNegatives(g *graph.Graph, negatives []graph.Triple) (*Structure, error) {
	spec := graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: append(g.Triples(), negatives...),
		NodeTypes: g.NodeTypes(), Types: g.NumTypes(), Undirected: g.Undirected()}
	if w := g.Weights(); w != nil {
		spec.Weights = append([]mat.Real(nil), w...)
		for range negatives {
			spec.Weights = append(spec.Weights, 1)
		}
	}
	all, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	negative := make([]bool, all.NumEdges())
	for e := g.NumEdges(); e < len(negative); e++ {
		negative[e] = true
	}
	return NewSigned(all, negative), nil
}

// signed is +1 for every true edge and −1 for every false one, m×1; absent where all are true.
func (s *Structure) signed() ad.Var {
	return s.signs.get(func() ad.Var {
		if s.negative == nil {
			return ad.Var{}
		}
		x := make([]mat.Real, len(s.negative))
		for e, no := range s.negative {
			x[e] = 1
			if no {
				x[e] = -1
			}
		}
		return column(x)
	})
}
