package nodes

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// network is what a task trains: parameters, logits for the nodes of one graph, and ℓ_up.
type network interface {
	Params() []*ad.Param                   // trained
	State() []*ad.Param                    // kept beside, like running statistics
	Predict(input.Context) (ad.Var, error) // n×classes
	Loss(input.Context) (ad.Var, error)    // 1×1
}

// bilevel is the network of a bloom.Stack.
type bilevel struct {
	*bloom.Stack
	on bloom.Data
}

var _ network = bilevel{}

// Predict is g(H; Θ).
func (b bilevel) Predict(c input.Context) (ad.Var, error) { return b.Stack.Predict(c, b.on) }

// Loss is ℓ_up.
func (b bilevel) Loss(c input.Context) (ad.Var, error) { return b.Stack.Loss(c, b.on) }

// energies are ℓ_low where the descents of all levels begin and where they end, 1×1 and summed, without η.
func (b bilevel) energies() (start, end ad.Var, err error) { return b.Totals(input.Evaluation(), b.on) }

// weights are parameters and state of a network.
func weights(n network) []*ad.Param {
	return append(append([]*ad.Param{}, n.Params()...), n.State()...)
}
