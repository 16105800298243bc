package baseline

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
)

// fagcn is the frequency adaptive graph convolution of Bo et al. (2021), whose weights may be negative:
//
//	h⁰  = relu(x W + b)
//	hˡ_v = ε h⁰_v + Σ_u α_vu / √(d_v d_u) hˡ⁻¹_u,    α_vu = tanh(⟨g, h_v⟩ + ⟨g′, h_u⟩ + c)     for l = 1, …, Layers
//	z   = h W′ + b′
//
// with g, g′ and c of every layer, ε = Alpha = 0.3, and EdgeDropout on the weights. There are no self loops.
//
// Chosen: first weights are uniform with Glorot's variance; the authors' are normal with twice the variance.
type fagcn struct {
	adj      edges
	o        Options
	in, out  input.Linear
	to, from []input.Linear // g with c, and g′, d×1, of every layer
}

func newFAGCN(o Options, g *graph.Graph) (Model, error) {
	o.Alpha = cmp.Or(o.Alpha, 0.3)
	m := &fagcn{adj: newEdges(g, graph.Symmetric, graph.DropLoops), o: o}
	m.in, m.out = input.NewLinear("fagcn.in", o.In, o.Hidden, o.Seed),
		input.NewLinear("fagcn.out", o.Hidden, o.Out, o.Seed)
	for l := range o.Layers {
		name := fmt.Sprintf("fagcn.%d", l)
		m.to = append(m.to, input.NewLinear(name+".to", o.Hidden, 1, o.Seed))
		m.from = append(m.from, input.Linear{W: input.Glorot(name+".from.W", o.Hidden, 1, o.Seed)})
	}
	return m, nil
}

func (m *fagcn) Forward(c input.Context, x input.Features) ad.Var {
	x = x.Drop(c, m.o.InputDropout, "fagcn input")
	h := c.Drop(m.in.Forward(c, x).ReLU(), m.o.Dropout, "fagcn in")
	first := h.Scale(m.o.Alpha)
	for l := range m.to {
		rows := input.Of(h)
		alpha := m.adj.sum(m.to[l].Forward(c, rows), m.from[l].Forward(c, rows)).Tanh()
		w := c.Drop(alpha.Mul(m.adj.weight), m.o.EdgeDropout, fmt.Sprintf("fagcn.%d edges", l))
		h = m.adj.withWeights(w).times(h).Add(first)
	}
	return m.out.Forward(c, input.Of(h))
}

func (m *fagcn) Params() []*ad.Param {
	ps := m.in.Params()
	for l := range m.to {
		ps = append(append(ps, m.to[l].Params()...), m.from[l].Params()...)
	}
	return append(ps, m.out.Params()...)
}
