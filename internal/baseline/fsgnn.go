package baseline

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/random"
)

// fsgnn is the feature selection network of Maurya et al. (2021): features of several hops, each with a matrix
// of its own, weighed by a softmax,
//
//	M₀ = x,   M₂ₖ₋₁ = Sᵏ x,   M₂ₖ = Âᵏ x       for k = 1, …, K
//	z = relu( ‖ᵢ softmax(a)ᵢ row(Mᵢ Wᵢ + bᵢ) ) W + b
//
// S being Â without self loops, row(y) = y/‖y‖ row by row, ‖ side by side, and K = Hops = 3.
//
// Powers of dense features are taken once, before the first epoch; for sparse features Sᵏ(x Wᵢ), which is the same,
// keeps them sparse.
//
// Chosen: ‖y‖² is taken 1e-6 larger, as Sᵏx is 0 at nodes without edges.
type fsgnn struct {
	with, without operator // Â and S
	o             Options
	hops          []input.Linear // Wᵢ and bᵢ
	choice        *ad.Param      // a, 1×(2K+1)
	out           input.Linear
}

func newFSGNN(o Options, g *graph.Graph) (Model, error) {
	o.Hops = cmp.Or(o.Hops, 3)
	m := &fsgnn{
		o: o, with: newOperator(g, graph.Symmetric, graph.AddLoops),
		without: newOperator(g, graph.Symmetric, graph.DropLoops),
	}
	for i := range 2*o.Hops + 1 {
		m.hops = append(m.hops, input.NewLinear(fmt.Sprintf("fsgnn.%d", i), o.In, o.Hidden, o.Seed))
	}
	m.choice = random.Filled("fsgnn.choice", 1, len(m.hops), 1)
	m.out = input.NewLinear("fsgnn.out", len(m.hops)*o.Hidden, o.Out, o.Seed)
	return m, nil
}

func (m *fsgnn) Forward(c input.Context, x input.Features) ad.Var {
	x = x.Drop(c, m.o.InputDropout, "fsgnn input")
	parts, share := make([]ad.Var, len(m.hops)), m.choice.Softmax()
	for i, l := range m.hops {
		s := m.with
		if i%2 == 1 {
			s = m.without
		}
		y := s.power((i+1)/2, x, l.W.Var).Add(l.B.Var)
		length := y.RowDot(y).Shift(1e-6).Sqrt()
		parts[i] = y.Mul(length.Recip()).Mul(share.Columns(i, i+1))
	}
	h := c.Drop(ad.Concat(parts...).ReLU(), m.o.Dropout, "fsgnn hidden")
	return m.out.Forward(c, input.Of(h))
}

// power returns Sᵏ·x·w.
func (o operator) power(k int, x input.Features, w ad.Var) ad.Var {
	d, dense := x.Dense()
	if !dense {
		d = x.MatMul(w)
	}
	for range k {
		d = o.times(d)
	}
	if dense {
		return d.MatMul(w)
	}
	return d
}

// Params returns the parameters of the hops' layers, then the weights that choose between hops, then the output's.
func (m *fsgnn) Params() []*ad.Param {
	var ps []*ad.Param
	for _, l := range m.hops {
		ps = append(ps, l.Params()...)
	}
	return append(append(ps, m.choice), m.out.Params()...)
}
