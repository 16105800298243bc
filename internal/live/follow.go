package live

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
)

// Follow is the state of a descent on g, which may change from then on: H after its steps, or, with settle, at the
// minimiser, to a tolerance. The error says why the descent cannot follow.
func Follow(ctx context.Context, l descent.Local, steps int, g *graph.Graph, settle bool, tolerance float64) (*State,
	error) {
	switch {
	case g.Features().Cols > 0:
		return nil, fmt.Errorf("edges are weighed by their features, which edges that are added would not have; " +
			"data.edge_features: none trains without")
	case !settle && l.Rate == nil:
		return nil, fmt.Errorf("the length of its steps depends on the whole graph; settle at the minimiser instead")
	case settle:
		steps = 0
	}
	return New(ctx, l, steps, g, l.Pi, tolerance)
}
