package baseline

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
)

// appnp predicts, then propagates (Gasteiger et al. 2019):
//
//	z⁰ = mlp(x)     zᵏ = (1 − α) Â zᵏ⁻¹ + α z⁰     for k = 1, …, K
//
// with Â as in gcn, K = Hops = 10 and α = Alpha = 0.1. EdgeDropout drops entries of Â, again in every step.
type appnp struct {
	Model // the perceptron
	adj   operator
	o     Options
}

func newAPPNP(o Options, g *graph.Graph) (Model, error) {
	mlp, err := input.NewMLP(input.MLP{
		Name: "appnp", Sizes: o.sizes(), InputDropout: o.InputDropout, Dropout: o.Dropout, Seed: o.Seed,
	})
	if err != nil {
		return nil, err
	}
	o.Hops, o.Alpha = cmp.Or(o.Hops, 10), cmp.Or(o.Alpha, 0.1)
	if o.Alpha > 1 {
		return nil, fmt.Errorf("baseline: appnp with Alpha %v, which must be a probability", o.Alpha)
	}
	return appnp{mlp, newOperator(g, graph.Symmetric, graph.AddLoops), o}, nil
}

// Forward returns the last of the K steps.
func (m appnp) Forward(c input.Context, x input.Features) ad.Var {
	start := m.Model.Forward(c, x)
	z := start
	for k := range m.o.Hops {
		w := c.Drop(m.adj.weight, m.o.EdgeDropout, fmt.Sprintf("appnp hop %d", k))
		z = m.adj.withWeights(w).times(z).Scale(1 - m.o.Alpha).Add(start.Scale(m.o.Alpha))
	}
	return z
}
