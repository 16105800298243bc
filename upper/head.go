package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// Head is g(h; Θ): a row of predictions, logits or numbers, for every row of h.
type Head interface {
	Predict(c input.Context, h ad.Var) ad.Var
	Params() []*ad.Param
	// Affine is g as h W + b; ok is false if it is not. W may be absent, for 1, and so may b, for 0.
	//
	// A descent that is linear in its input and mixes no columns commutes with the product: it may run on π W, which
	// has one column per class, and b is added afterwards.
	Affine() (w, b ad.Var, ok bool)
}

// Identity is g(h) = h: embeddings are the predictions, as in label propagation.
var Identity Head = identity{}

type identity struct{}

func (identity) Predict(c input.Context, h ad.Var) ad.Var { return h }
func (identity) Params() []*ad.Param                      { return nil }
func (identity) Affine() (w, b ad.Var, ok bool)           { return ad.Var{}, ad.Var{}, true }

// NewLinear is the head h W + b from d columns to out, with Glorot weights and a bias that starts at 0.
func NewLinear(name string, d, out int, seed uint64) Head {
	return linear{input.NewLinear(name, d, out, seed)}
}

type linear struct{ input.Linear }

func (l linear) Predict(c input.Context, h ad.Var) ad.Var { return l.Forward(c, input.Of(h)) }
func (l linear) Affine() (w, b ad.Var, ok bool)           { return affine(l.Linear) }

func affine(l input.Linear) (w, b ad.Var, ok bool) {
	if l.B != nil {
		b = l.B.Var
	}
	return l.W.Var, b, true
}

// NewMLP returns a perceptron with the given description as a head. With Lead it begins with an activation, as after a
// descent that ends without one.
func NewMLP(c input.MLP) (Head, error) {
	n, err := input.NewMLP(c)
	return mlp{n}, err
}

type mlp struct{ input.Model }

var _ input.Stateful = mlp{}

func (m mlp) State() []*ad.Param                       { return state(m.Model) }
func (m mlp) Predict(c input.Context, h ad.Var) ad.Var { return m.Forward(c, input.Of(h)) }

// Affine returns the only layer of m, if it has a single one.
func (m mlp) Affine() (w, b ad.Var, ok bool) {
	one, ok := m.Model.(interface{ Affine() (input.Linear, bool) })
	if !ok {
		return ad.Var{}, ad.Var{}, false
	}
	l, ok := one.Affine()
	if !ok {
		return ad.Var{}, ad.Var{}, false
	}
	return affine(l)
}

// Rectified returns the layers of m, see input.MLP, if ReLU alone is between them; lead says whether it is before the
// first too.
func (m mlp) Rectified() (layers []input.Linear, lead, ok bool) {
	r, ok := m.Model.(interface {
		Rectified() (layers []input.Linear, lead, ok bool)
	})
	if !ok {
		return nil, false, false
	}
	return r.Rectified()
}
