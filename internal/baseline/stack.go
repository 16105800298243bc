package baseline

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// convolution is one layer: what every node gets from itself and its neighbours.
type convolution interface {
	forward(c input.Context, x input.Features) ad.Var // n×in to n×out
	params() []*ad.Param
}

// stack is convolutions above each other, n×In to n×Out,
//
//	x⁰ = dropout(x)
//	xⁱ = dropout(act(norm(convᵢ(xⁱ⁻¹))))  [+ xⁱ⁻¹]     for all layers but the last
//	z  = conv(x)                                        for the last
//
// With Norm = BatchNorm and three layers it is what OGB's examples train on ogbn-arxiv (Hu et al. 2020).
type stack struct {
	name   string
	o      Options
	act    Activation // where o has the default
	layers []convolution
	norms  []*input.NormLayer // norms[i] follows layer i
}

var _ input.Stateful = (*stack)(nil)

// newStack has a layer from make for every pair of neighbouring widths.
func newStack(name string, o Options, act Activation,
	make func(name string, in, out int, last bool) convolution) *stack {
	m := &stack{name: name, o: o, act: act}
	sizes := o.sizes()
	for i, in := range sizes[:o.Layers] {
		place, last := fmt.Sprintf("%s.%d", name, i), i == o.Layers-1
		m.layers = append(m.layers, make(place, in, sizes[i+1], last))
		if !last {
			m.norms = append(m.norms, input.NewNorm(o.Norm, place, sizes[i+1]))
		}
	}
	return m
}

func (m *stack) Forward(c input.Context, x input.Features) ad.Var {
	last := len(m.layers) - 1
	return m.layers[last].forward(c, m.inputs(c, x)[last])
}

// inputs returns the inputs of the layers: x⁰, x¹, …
func (m *stack) inputs(c input.Context, x input.Features) []input.Features {
	x = x.Drop(c, m.o.InputDropout, m.name+" input")
	list := []input.Features{x}
	for i, n := range m.norms {
		y := m.o.Activation.apply(n.Forward(c, m.layers[i].forward(c, x)), m.act)
		y = c.Drop(y, m.o.Dropout, fmt.Sprintf("%s.%d", m.name, i))
		if m.o.Residual && x.Shape() == y.Shape() {
			y = y.Add(x.Var())
		}
		x = input.Of(y)
		list = append(list, x)
	}
	return list
}

// skips reports whether the input of a layer inside is added to its output.
func (m *stack) skips() bool {
	sizes := m.o.sizes()
	for i := range m.norms {
		if m.o.Residual && sizes[i] == sizes[i+1] {
			return true
		}
	}
	return false
}

// Params returns the parameters of every layer and of the norm above it, from below.
func (m *stack) Params() []*ad.Param {
	var ps []*ad.Param
	for i, l := range m.layers {
		ps = append(ps, l.params()...)
		if i < len(m.norms) {
			ps = append(ps, m.norms[i].Params()...)
		}
	}
	return ps
}

func (m *stack) State() []*ad.Param {
	var s []*ad.Param
	for _, n := range m.norms {
		s = append(s, n.State()...)
	}
	return s
}

// separate is a convolution with a matrix for the node itself, conv(x) + x V, as Luo et al. (2024, "Classic GNNs are
// strong baselines") tune gcn and gat.
type separate struct {
	convolution
	own *ad.Param // V
}

// withOwn returns conv, or conv with a matrix for the node itself where o says so.
func (o Options) withOwn(conv convolution, name string, in, out int) convolution {
	if !o.Separate {
		return conv
	}
	return separate{conv, input.Glorot(name+".own.W", in, out, o.Seed)}
}

func (l separate) forward(c input.Context, x input.Features) ad.Var {
	return l.convolution.forward(c, x).Add(x.MatMul(l.own.Var))
}

func (l separate) params() []*ad.Param { return append(l.convolution.params(), l.own) }
