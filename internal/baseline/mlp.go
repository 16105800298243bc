package baseline

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
)

// newMLP returns a perceptron, which sees no edge:
//
//	xⁱ = dropout(act(norm(xⁱ⁻¹ Wᵢ + bᵢ)))  [+ xⁱ⁻¹]
//
// It is input.MLP; in Blocks it is the ResNet of Platonov et al. (2023).
func newMLP(o Options, _ *graph.Graph) (Model, error) {
	if o.Blocks {
		return newBlocks("mlp", o, 1, func(string) aggregate { return itself{} })
	}
	return input.NewMLP(input.MLP{
		Name: "mlp", Sizes: o.sizes(), InputDropout: o.InputDropout, Dropout: o.Dropout, Norm: o.Norm,
		Residual:   o.Residual,
		Activation: func(z ad.Var) ad.Var { return o.Activation.apply(z, ReLU) }, Seed: o.Seed,
	})
}

// itself aggregates nothing: every node keeps its own row.
type itself struct{}

func (itself) forward(_ input.Context, h ad.Var) ad.Var { return h }
func (itself) params() []*ad.Param                      { return nil }
