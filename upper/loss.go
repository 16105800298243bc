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

// Supervised is the loss of a head's predictions. Head and criterion are separate, so predictions can be read and an
// affine head can be applied before a linear descent.
type Supervised struct {
	Head      Head
	Criterion Criterion
	Target    Target
}

var (
	_ Loss           = Supervised{}
	_ input.Stateful = Supervised{}
)

// Loss returns the criterion of the predictions.
func (s Supervised) Loss(c input.Context, h ad.Var) ad.Var {
	return s.Criterion.Of(s.Head.Predict(c, h), s.Target)
}

// Params returns Θ of the head.
func (s Supervised) Params() []*ad.Param { return s.Head.Params() }

// State returns what the head keeps, if anything.
func (s Supervised) State() []*ad.Param { return state(s.Head) }

// state returns what a part of a model keeps but does not train.
func state(part any) []*ad.Param {
	if s, ok := part.(input.Stateful); ok {
		return s.State()
	}
	return nil
}
