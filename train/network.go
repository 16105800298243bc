package train

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/upper"
)

// Network is what is trained: parameters, and logits for the nodes of one graph.
type Network interface {
	Params() []*ad.Param                  // trained
	State() []*ad.Param                   // kept beside, like running statistics
	Logits(input.Context) (ad.Var, error) // n×classes
}

// bilevel is the Network of a bloom.Model.
type bilevel struct {
	*bloom.Model
	on bloom.Data
}

var _ Network = bilevel{}

// Logits are the predictions of the model.
func (b bilevel) Logits(c input.Context) (ad.Var, error) { return b.Predict(c, b.on) }

// State is that of π and of the head.
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
	return l.Total(l.Pi), l.Total(h), nil
}

// noLoss is an ℓ_up that only has a head: the criterion belongs to the task.
func noLoss(g upper.Head) upper.Supervised { return upper.Supervised{Head: g} }
