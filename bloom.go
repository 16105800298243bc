// Package bloom is graph machine learning by bilevel optimization: a model is an energy of a graph, the algorithm that
// goes down on it, and the loss at the end,
//
//	min_{W,Θ,…} ℓ_up( g(H⁽ᴸ⁾; Θ) )    H⁽ˡ⁾ = A[ℓ_low, H⁽ˡ⁻¹⁾],  H⁽⁰⁾ = π(X; W)      (eq:BloomGML)
//	ℓ_low(H) = Σ_(u,r,v)∈E f(h_u, h_v; r) + Σ_v [ κ(h_v; x_v) + η(h_v) ]
//
// Model is that equation as a struct; its parts are values of packages energy, descent, adjoint, input and upper.
package bloom

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/upper"
)

// Model is a bilevel model. It holds parameters and nothing of a graph: the same model runs on any graph that its terms
// are meant for.
type Model struct {
	Pi      input.Model       // π
	F       []energy.EdgeTerm // f, summed
	Kappa   []energy.NodeTerm // κ, summed
	Eta     energy.Constraint // η; nil means none
	A       descent.Algorithm // nil means Proximal with the steps that are certified, preconditioned by Degree
	L       int               // steps, and so layers
	Adjoint adjoint.Adjoint   // nil means Unrolled
	Up      upper.Loss        // ℓ_up with its head g

	Edges *energy.EdgeWeights // trained edge weights computed from edge features; nil means the weights of the graph
}

// Data is a graph with features.
type Data struct {
	On *energy.Structure
	X  input.Features
}

// Lower returns ℓ_low on d, with π(X; W) computed as c says.
func (m *Model) Lower(c input.Context, d Data) *energy.Lower {
	x, on := d.X.Var(), d.On
	if m.Edges != nil {
		on = m.Edges.On(on)
	}
	return &energy.Lower{On: on, Pi: m.Pi.Forward(c, d.X), X: x, F: energy.Given(m.F, on, x), Kappa: m.Kappa,
		Eta: m.Eta}
}

// Embed returns H⁽ᴸ⁾, n×d. The descent starts at π(X; W), or at the point next to it at which η is finite, see
// energy.Lower.Feasible.
//
// Deviation: the paper starts at π, where ℓ_low is infinite if π is not feasible.
//
// The error comes from descent.Check: an algorithm that does not suit the energy.
func (m *Model) Embed(c input.Context, d Data) (ad.Var, error) {
	l := m.Lower(c, d)
	if err := descent.Check(m.algorithm(), l); err != nil {
		return ad.Var{}, err
	}
	return m.run(l), nil
}

// run takes the steps.
func (m *Model) run(l *energy.Lower) ad.Var {
	return m.adjoint().Run(m.algorithm(), l, l.Feasible(l.Pi), m.L)
}

// Predict returns g(H⁽ᴸ⁾; Θ) of a model whose loss is upper.Supervised, and H⁽ᴸ⁾ of others. Where the whole descent
// is linear, a linear g is applied before it, see adjoint.Through.
func (m *Model) Predict(c input.Context, d Data) (ad.Var, error) {
	l := m.Lower(c, d)
	if err := descent.Check(m.algorithm(), l); err != nil {
		return ad.Var{}, err
	}
	up, ok := m.Up.(upper.Supervised)
	if !ok {
		return m.run(l), nil
	}
	if w, b, ok := up.Head.Affine(); ok && !w.IsZero() {
		z := adjoint.Through(m.adjoint(), m.algorithm(), l, l.Feasible(l.Pi), m.L, w)
		if b.IsZero() {
			return z, nil
		}
		return z.Add(b), nil
	}
	return up.Head.Predict(c, m.run(l)), nil
}

// Loss returns ℓ_up, 1×1: what training minimises.
func (m *Model) Loss(c input.Context, d Data) (ad.Var, error) {
	y, err := m.Predict(c, d)
	if err != nil {
		return ad.Var{}, err
	}
	return loss(m.Up, c, y), nil
}

// loss returns ℓ_up of predictions, which of a supervised one are its head's already.
func loss(up upper.Loss, c input.Context, y ad.Var) ad.Var {
	if s, ok := up.(upper.Supervised); ok {
		return s.Criterion.Of(y, s.Target)
	}
	return up.Loss(c, y)
}

// Params returns all trained parameters: W, the parameters of the terms, of the edge weights and of A, and Θ.
func (m *Model) Params() []*ad.Param {
	ps := m.Pi.Params()
	ps = append(ps, (&energy.Lower{F: m.F, Kappa: m.Kappa}).Params()...)
	if m.Edges != nil {
		ps = append(ps, m.Edges.Params()...)
	}
	ps = append(ps, descent.Params(m.algorithm())...)
	if m.Up != nil {
		ps = append(ps, m.Up.Params()...)
	}
	return ps
}

func (m *Model) algorithm() descent.Algorithm {
	if m.A == nil {
		return descent.Proximal(descent.Safe, descent.Degree)
	}
	return m.A
}

func (m *Model) adjoint() adjoint.Adjoint {
	if m.Adjoint == nil {
		return adjoint.Unrolled{}
	}
	return m.Adjoint
}
