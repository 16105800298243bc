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

// bilevel is the network of a bloom.Model.
type bilevel struct {
	*bloom.Model
	on bloom.Data
}

var _ network = bilevel{}

// Predict is g(H⁽ᴸ⁾; Θ).
func (b bilevel) Predict(c input.Context) (ad.Var, error) { return b.Model.Predict(c, b.on) }

// Loss is ℓ_up.
func (b bilevel) Loss(c input.Context) (ad.Var, error) { return b.Model.Loss(c, b.on) }

// State belongs to π and to the head.
func (b bilevel) State() []*ad.Param {
	var state []*ad.Param
	for _, part := range []any{b.Pi, b.Up} {
		if s, ok := part.(input.Stateful); ok {
			state = append(state, s.State()...)
		}
	}
	return state
}

// energies are ℓ_low at H⁽⁰⁾ and at H⁽ᴸ⁾, 1×1, without η.
func (b bilevel) energies() (start, end ad.Var, err error) {
	l := b.Lower(input.Evaluation(), b.on)
	h, err := b.Embed(input.Evaluation(), b.on)
	if err != nil {
		return ad.Var{}, ad.Var{}, err
	}
	return l.Total(l.Feasible(l.Pi)), l.Total(h), nil
}

// weights are parameters and state of a network.
func weights(n network) []*ad.Param {
	return append(append([]*ad.Param{}, n.Params()...), n.State()...)
}
