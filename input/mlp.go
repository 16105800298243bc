package input

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
)

// MLP describes a multi-layer perceptron of any depth,
//
//	x⁰ = dropout(x)
//	xⁱ = dropout(act(norm(xⁱ⁻¹ Wᵢ + bᵢ)))  [+ xⁱ⁻¹]      for all layers but the last
//	π  = x W + b                                        for the last
//
// With one layer it is Linear, after dropout.
type MLP struct {
	Name         string  // of the parameters; tells two models apart
	Sizes        []int   // widths from the features to the output: two for one layer
	InputDropout float64 // probability, on the features
	Dropout      float64 // probability, after every activation
	Norm         Norm
	Residual     bool                // add xⁱ⁻¹ where the widths agree; the last layer never does
	Activation   func(ad.Var) ad.Var // nil means ReLU
	NoBias       bool
	Lead         bool // begin with norm, activation and dropout: for a head that follows a descent
	Seed         uint64
}

// net is an MLP with its parameters.
type net struct {
	config MLP
	relu   bool // the activation is ReLU
	layers []Linear
	norms  []*NormLayer // norms[i] follows layer i
	lead   *NormLayer
}

var (
	_ Model    = (*net)(nil)
	_ Stateful = (*net)(nil)
)

// NewMLP makes the parameters, or says what is wrong with the description. The model is Stateful.
func NewMLP(c MLP) (Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	m := &net{relu: c.Activation == nil}
	if m.relu {
		c.Activation = ad.Var.ReLU
	}
	m.config = c
	if c.Lead {
		m.lead = NewNorm(c.Norm, c.Name+".lead", c.Sizes[0])
	}
	for i := range c.depth() {
		name, linear := fmt.Sprintf("%s.%d", c.Name, i), NewLinear
		if c.NoBias {
			linear = newMatrix
		}
		m.layers = append(m.layers, linear(name, c.Sizes[i], c.Sizes[i+1], c.Seed))
		if i < c.depth()-1 {
			m.norms = append(m.norms, NewNorm(c.Norm, name, c.Sizes[i+1]))
		}
	}
	return m, nil
}

func (c MLP) depth() int { return len(c.Sizes) - 1 }

func (c MLP) check() error {
	if len(c.Sizes) < 2 {
		return fmt.Errorf("input: MLP %q with sizes %v: an input and an output are needed", c.Name, c.Sizes)
	}
	for _, s := range c.Sizes {
		if s < 1 {
			return fmt.Errorf("input: MLP %q with sizes %v: none may be below 1", c.Name, c.Sizes)
		}
	}
	for _, p := range []float64{c.InputDropout, c.Dropout} {
		if !(p >= 0 && p < 1) {
			return fmt.Errorf("input: MLP %q with dropout %v, which must be in [0, 1)", c.Name, p)
		}
	}
	if c.Norm > LayerNorm {
		return fmt.Errorf("input: MLP %q with the unknown norm %d", c.Name, c.Norm)
	}
	return nil
}

func (m *net) Forward(c Context, x Features) ad.Var {
	x = x.Drop(c, m.config.InputDropout, m.config.Name+" input")
	if m.config.Lead {
		x = Of(m.activate(c, m.lead, x.Var(), "lead"))
	}
	for i, l := range m.layers {
		z := l.Forward(c, x)
		if i == len(m.layers)-1 {
			return z
		}
		y := m.activate(c, m.norms[i], z, fmt.Sprint(i))
		if m.config.Residual && x.Shape() == y.Shape() {
			y = y.Add(x.Var())
		}
		x = Of(y)
	}
	return x.Var()
}

// activate is dropout(act(norm(z))).
func (m *net) activate(c Context, n *NormLayer, z ad.Var, place string) ad.Var {
	return c.Drop(m.config.Activation(n.Forward(c, z)), m.config.Dropout, m.config.Name+" "+place)
}

// Params returns weights, biases, scales and shifts, layer by layer.
func (m *net) Params() []*ad.Param {
	ps := m.lead.Params()
	for i, l := range m.layers {
		ps = append(ps, l.Params()...)
		if i < len(m.norms) {
			ps = append(ps, m.norms[i].Params()...)
		}
	}
	return ps
}

func (m *net) State() []*ad.Param {
	s := m.lead.State()
	for _, n := range m.norms {
		s = append(s, n.State()...)
	}
	return s
}

// Affine returns the layer that the perceptron consists of in evaluation and training alike; ok is false if it has more
// than that layer.
func (m *net) Affine() (l Linear, ok bool) {
	c := m.config
	if c.depth() > 1 || c.Lead || c.InputDropout > 0 {
		return Linear{}, false
	}
	return m.layers[0], true
}

// Rectified returns the layers of a perceptron that is nothing but these in evaluation, with ReLU between them, and
// before the first if lead is true.
func (m *net) Rectified() (layers []Linear, lead, ok bool) {
	c := m.config
	if !m.relu || c.Residual && c.depth() > 1 || c.Norm != NoNorm && (c.Lead || c.depth() > 1) {
		return nil, false, false
	}
	return m.layers, c.Lead, true
}
