package train

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/recipe"
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
	on        bloom.Data
	quadratic bool // all edge terms are quadratic forms
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
	total := l.Smooth
	if b.quadratic {
		total = func(h ad.Var) ad.Var { return quadratic(l, h) }
	}
	return total(l.Pi), total(h), nil
}

// quadratic is ℓ_low without η of an energy whose edge terms are quadratic forms, for which
//
//	Σ_E f = ½ ⟨H, ∇ Σ_E f⟩
//
// The gradient has a form without a row per edge, so this costs about one step of the descent. It cancels more digits than the sum.
func quadratic(l *energy.Lower, h ad.Var) ad.Var {
	nodes := energy.Lower{On: l.On, Pi: l.Pi, X: l.X, Kappa: l.Kappa}
	return nodes.Smooth(h).Add(h.Dot(l.EdgeGrad(h)).Scale(0.5))
}

// isQuadratic reports whether the edge terms of r are quadratic forms of the rows of H.
func isQuadratic(r *recipe.Recipe) bool {
	for _, f := range r.F {
		var rho energy.Penalty
		switch f := f.(type) {
		case recipe.Laplace:
			rho = energy.HalfSquared
		case recipe.Difference:
			rho = f.Rho
		case recipe.Compat:
			rho = f.Rho
		case recipe.Relational:
			rho = f.Rho
		}
		if rho.Name != energy.HalfSquared.Name && rho.Name != energy.Squared.Name {
			return false
		}
	}
	return true
}

// noLoss is an ℓ_up that only has a head: the criterion belongs to the task.
func noLoss(g upper.Head) upper.Supervised { return upper.Supervised{Head: g} }
