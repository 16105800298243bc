package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// Loss is ℓ_up of embeddings h, n×d, as a 1×1 expression.
type Loss interface {
	Loss(c input.Context, h ad.Var) ad.Var
	Params() []*ad.Param // Θ
}

// Supervised is the loss of a head's predictions. The two halves are apart so that predictions can be
// read, and so that a head that is affine can be applied before a descent that is linear.
type Supervised struct {
	Head      Head
	Criterion Criterion
	Target    Target
}

var (
	_ Loss           = Supervised{}
	_ input.Stateful = Supervised{}
)

// Loss is the criterion of the predictions.
func (s Supervised) Loss(c input.Context, h ad.Var) ad.Var {
	return s.Criterion.Of(s.Head.Predict(c, h), s.Target)
}

// Params is Θ of the head.
func (s Supervised) Params() []*ad.Param { return s.Head.Params() }

// State is what the head keeps, if anything.
func (s Supervised) State() []*ad.Param { return state(s.Head) }

// state is what a part of a model keeps that is not trained.
func state(part any) []*ad.Param {
	if s, ok := part.(input.Stateful); ok {
		return s.State()
	}
	return nil
}
