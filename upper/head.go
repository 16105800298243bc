package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// Head is g(h; Θ): a row of predictions, logits or numbers, for every row of h.
type Head interface {
	Predict(c input.Context, h ad.Var) ad.Var
	Params() []*ad.Param
	// Affine is g as h W + b; ok is false where it is not.
	Affine() (a Affine, ok bool)
}

// Affine is h W + b. W may be absent, for 1, and so may b, for 0.
//
// A descent that is linear in its input and mixes no columns commutes with the product: it may run on
// Times(π), which has as many columns as there are classes, and Plus comes after it.
type Affine struct{ W, B ad.Var }

// Times is h W.
func (a Affine) Times(h ad.Var) ad.Var {
	if a.W.IsZero() {
		return h
	}
	return h.MatMul(a.W)
}

// Plus is z + b.
func (a Affine) Plus(z ad.Var) ad.Var {
	if a.B.IsZero() {
		return z
	}
	return z.Add(a.B)
}

// Identity is g(h) = h: embeddings are the predictions, as in label propagation.
type Identity struct{}

// Predict is h.
func (Identity) Predict(c input.Context, h ad.Var) ad.Var { return h }

// Params is empty.
func (Identity) Params() []*ad.Param { return nil }

// Affine is h itself.
func (Identity) Affine() (Affine, bool) { return Affine{}, true }

// Linear is g(h) = h W + b.
type Linear struct{ input.Linear }

// NewLinear is a head from d columns to out, with Glorot weights and a bias that starts at 0.
func NewLinear(name string, d, out int, seed uint64) Linear {
	return Linear{input.NewLinear(name, d, out, seed)}
}

// Predict is h W + b.
func (l Linear) Predict(c input.Context, h ad.Var) ad.Var { return l.Forward(c, input.Of(h)) }

// Affine is W and b.
func (l Linear) Affine() (Affine, bool) { return affine(l.Linear), true }

func affine(l input.Linear) Affine {
	a := Affine{W: l.W.Var}
	if l.B != nil {
		a.B = l.B.Var
	}
	return a
}

// MLP is a perceptron as a head.
type MLP struct{ *input.Net }

// NewMLP is a head of the given description. With Lead it begins with an activation, as after a descent that
// ends without one.
func NewMLP(c input.MLP) (MLP, error) {
	n, err := input.NewMLP(c)
	return MLP{n}, err
}

// Predict is the perceptron on h.
func (m MLP) Predict(c input.Context, h ad.Var) ad.Var { return m.Forward(c, input.Of(h)) }

// Affine is its only layer, if it has no more than that.
func (m MLP) Affine() (Affine, bool) {
	l, ok := m.Net.Affine()
	if !ok {
		return Affine{}, false
	}
	return affine(l), true
}

var (
	_ Head           = Identity{}
	_ Head           = Linear{}
	_ Head           = MLP{}
	_ input.Stateful = MLP{}
)
