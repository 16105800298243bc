package baseline

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// gbk is the gated bi-kernel network of Du et al. (2022): a gate says for every edge whether its ends are of one
// kind, and so which of two matrices its message takes,
//
//	h_v ← h_v W + mean_u( α_vu h_u W⁺ + (1 − α_vu) h_u W⁻ ) + b,    α_vu = σ(⟨g, h_v⟩ + ⟨g′, h_u⟩ + c)
//
// with ReLU between layers. Auxiliary is the loss of the gate.
//
// Chosen: this is the paper's formula. The authors' program differs: its second message is h_v in place of h_u, and
// each kernel fills half of the columns.
type gbk struct {
	*stack
	adj    edges
	lambda float64
}

var _ Auxiliary = gbk{}

func newGBK(o Options, g *graph.Graph) (Model, error) {
	adj := newEdges(g, graph.Left, graph.KeepLoops)
	m := newStack("gbk", o, ReLU, func(name string, in, out int, _ bool) convolution {
		return gbkLayer{
			adj: adj, Linear: input.NewLinear(name, in, out, o.Seed),
			same: input.Glorot(name+".same.W", in, out, o.Seed), other: input.Glorot(name+".other.W", in, out, o.Seed),
			to:   input.NewLinear(name+".to", in, 1, o.Seed),
			from: input.Linear{W: input.Glorot(name+".from.W", in, 1, o.Seed)},
		}
	})
	return gbk{m, adj, cmp.Or(o.Alpha, 1)}, nil
}

// Auxiliary returns λ times the sum over layers of the mean over edges with both ends in train of
//
//	−log α_vu  where labels agree,   −log(1 − α_vu)  where not
//
// with λ = Alpha = 1; it is 0 if there is no such edge.
func (m gbk) Auxiliary(c input.Context, x input.Features, labels, train []int32) (ad.Var, error) {
	known, err := m.known(labels, train)
	if err != nil {
		return ad.Var{}, err
	}
	var entries []int32
	var sign []mat.Real // −1 if labels agree
	for i, v := range targets(m.adj.Pattern) {
		u := m.adj.Idx[i]
		if !known[u] || !known[v] {
			continue
		}
		entries, sign = append(entries, int32(i)), append(sign, 1)
		if labels[u] == labels[v] {
			sign[len(sign)-1] = -1
		}
	}
	loss := ad.Number(0)
	if len(entries) == 0 {
		return loss, nil
	}
	pick, signs := mat.MustIndex(entries, len(m.adj.Idx)), column(sign)
	c.Updates = nil // Forward has them
	for i, x := range m.inputs(c, x) {
		loss = loss.Add(m.layers[i].(gbkLayer).gate(c, x).Gather(pick).Mul(signs).Softplus().Mean())
	}
	return loss.Scale(m.lambda), nil
}

// known marks the nodes in train.
func (m gbk) known(labels, train []int32) ([]bool, error) {
	n := m.adj.Rows
	if len(labels) != n {
		return nil, fmt.Errorf("baseline: gbk with %d labels for %d nodes", len(labels), n)
	}
	known := make([]bool, n)
	for _, v := range train {
		if v < 0 || int(v) >= n {
			return nil, fmt.Errorf("baseline: gbk with training node %d of %d", v, n)
		}
		known[v] = true
	}
	return known, nil
}

// gbkLayer is one convolution. As the means are linear it is
//
//	x W + b + mean(x) W⁻ + mean(α∘x) (W⁺ − W⁻)
type gbkLayer struct {
	adj edges
	input.Linear
	same, other *ad.Param    // W⁺ and W⁻
	to, from    input.Linear // g with c, and g′
}

// gate returns the logit of α, NNZ×1.
func (l gbkLayer) gate(c input.Context, x input.Features) ad.Var {
	return l.adj.sum(l.to.Forward(c, x), l.from.Forward(c, x))
}

func (l gbkLayer) forward(c input.Context, x input.Features) ad.Var {
	gated := l.adj.withWeights(l.gate(c, x).Sigmoid().Mul(l.adj.weight))
	return l.Forward(c, x).
		Add(l.adj.linear(x, l.other.Var)).
		Add(gated.linear(x, l.same.Sub(l.other.Var)))
}

func (l gbkLayer) params() []*ad.Param {
	ps := append(l.Params(), l.same, l.other)
	return append(append(ps, l.to.Params()...), l.from.Params()...)
}
