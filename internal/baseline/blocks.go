package baseline

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// aggregate is the view of the graph that a block has: n×d to n×(k·d), without a transformation of the output.
type aggregate interface {
	forward(c input.Context, h ad.Var) ad.Var
	params() []*ad.Param
}

// blocks is the architecture in which Platonov et al. (2023, "A critical look at the evaluation of GNNs under
// heterophily") train every standard model, n×In to n×Out:
//
//	h  = act(dropout(x W + b))
//	h ← h + ffn(aggregate(norm(h)))                   Layers times
//	z  = norm(h) W + b
//	ffn(a) = dropout(act(dropout(a W₁ + b₁)) W₂ + b₂)
//
// They use Norm = LayerNorm, GELU, Hidden 512, Layers 1 to 5 and Dropout 0.2.
type blocks struct {
	name    string
	o       Options
	in, out input.Linear
	norm    *input.NormLayer // before out
	list    []block
}

var _ input.Stateful = (*blocks)(nil)

// block is one residual step.
type block struct {
	norm *input.NormLayer
	aggregate
	up, down input.Linear // W₁, b₁ and W₂, b₂
}

// newBlocks aggregates to k·Hidden columns with what make gives for every block.
func newBlocks(name string, o Options, k int, make func(name string) aggregate) (*blocks, error) {
	d := o.Hidden
	m := &blocks{
		name: name, o: o, norm: input.NewNorm(o.Norm, name+".out", d),
		in: input.NewLinear(name+".in", o.In, d, o.Seed), out: input.NewLinear(name+".out", d, o.Out, o.Seed),
	}
	for i := range o.Layers {
		place := fmt.Sprintf("%s.%d", name, i)
		m.list = append(m.list, block{
			norm: input.NewNorm(o.Norm, place, d), aggregate: make(place),
			up: input.NewLinear(place+".up", k*d, d, o.Seed), down: input.NewLinear(place+".down", d, d, o.Seed),
		})
	}
	return m, nil
}

func (m *blocks) Forward(c input.Context, x input.Features) ad.Var {
	x = x.Drop(c, m.o.InputDropout, m.name+" input")
	h := m.activate(c, m.in.Forward(c, x), m.name+" in")
	for i, b := range m.list {
		place := fmt.Sprintf("%s.%d", m.name, i)
		a := b.forward(c, b.norm.Forward(c, h))
		a = m.activate(c, b.up.Forward(c, input.Of(a)), place+" up")
		h = h.Add(c.Drop(b.down.Forward(c, input.Of(a)), m.o.Dropout, place+" down"))
	}
	return m.out.Forward(c, input.Of(m.norm.Forward(c, h)))
}

// activate is act(dropout(z)).
func (m *blocks) activate(c input.Context, z ad.Var, place string) ad.Var {
	return m.o.Activation.apply(c.Drop(z, m.o.Dropout, place), GELU)
}

func (m *blocks) Params() []*ad.Param {
	ps := m.in.Params()
	for _, b := range m.list {
		ps = append(ps, b.norm.Params()...)
		ps = append(ps, b.params()...)
		ps = append(append(ps, b.up.Params()...), b.down.Params()...)
	}
	return append(append(ps, m.norm.Params()...), m.out.Params()...)
}

func (m *blocks) State() []*ad.Param {
	var s []*ad.Param
	for _, b := range m.list {
		s = append(s, b.norm.State()...)
	}
	return append(s, m.norm.State()...)
}
