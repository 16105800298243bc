package baseline

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// negativeSlope is the slope of attention's LeakyReLU below 0.
const negativeSlope = 0.2

// newGAT returns the graph attention network of Veličković et al. (2018), layers of Heads heads side by side, each
//
//	e_vu = LeakyReLU(⟨a, W h_v⟩ + ⟨a′, W h_u⟩)     h_v ← Σ_u softmax_u(e_vu) W h_u + b
//
// over the neighbours u of v and v itself, with ELU between and EdgeDropout on the softmax.
//
// Chosen: the last layer has one head, as theirs for Cora and Citeseer has. Weights of edges are not used. In Blocks
// the heads see norm(h); with Separate a node is not among its neighbours but concatenated with their mean, [h_v ‖ Σ_u
// …].
func newGAT(o Options, g *graph.Graph) (Model, error) {
	if o.Hidden%o.Heads != 0 {
		return nil, fmt.Errorf("baseline: gat with Hidden %d, which %d heads do not divide", o.Hidden, o.Heads)
	}
	if o.Blocks {
		return attentionBlocks(o, g)
	}
	att := newAttention(g, graph.AddLoops, o.EdgeDropout)
	return newStack("gat", o, ELU, func(name string, in, out int, last bool) convolution {
		heads := o.Heads
		if last {
			heads = 1
		}
		return o.withOwn(newGATLayer(att, name, in, out, heads, o.Seed), name, in, out)
	}), nil
}

// attentionBlocks is gat in Blocks.
func attentionBlocks(o Options, g *graph.Graph) (Model, error) {
	loops, k := graph.AddLoops, 1
	if o.Separate {
		loops, k = graph.DropLoops, 2
	}
	att := newAttention(g, loops, o.EdgeDropout)
	return newBlocks("gat", o, k, func(name string) aggregate {
		return attend{newGATLayer(att, name, o.Hidden, o.Hidden, o.Heads, o.Seed), o.Separate}
	})
}

// attention is softmax over the edges into every node.
type attention struct {
	edges
	arrivals *mat.Triples // (target, source, 0) for every edge
	empty    ad.Var       // n×1: 1 at nodes without edges
	dropout  float64
}

func newAttention(g *graph.Graph, loops graph.Loops, dropout float64) *attention {
	a := &attention{edges: newEdges(g, graph.None, loops), dropout: dropout}
	ids := [3][]int32{targets(a.Pattern), a.Idx, make([]int32, len(a.Idx))}
	t, err := mat.NewTriples([3]int{a.Rows, a.Cols, 1}, ids)
	if err != nil {
		panic(fmt.Sprintf("baseline: %v", err)) // the entries of a pattern are in range
	}
	empty := make([]mat.Real, a.Rows)
	for v := range empty {
		if a.Ptr[v] == a.Ptr[v+1] {
			empty[v] = 1
		}
	}
	a.arrivals, a.empty = t, column(empty)
	return a
}

// mean returns Σ_u softmax_u(LeakyReLU(s_v + t_u)) x_u, n×d, for scores s and t, n×1, with the largest t_u over u,
// n×1. As LeakyReLU grows, LeakyReLU(s_v + max t) is the largest exponent of v: the largest term of a sum is 1, and no
// sum is 0. Weights are divided by their sum after the product, n×d in place of one division an edge.
func (a *attention) mean(c input.Context, s, t, largest, x ad.Var, place string) ad.Var {
	top := s.Add(largest).Map("leaky_relu", negativeSlope)
	w := a.sum(s, t).Map("leaky_relu", negativeSlope).Sub(ad.Stop(top).Gather(a.target)).Exp()
	total := w.SegmentSum(a.target).Add(a.empty)
	return a.withWeights(c.Drop(w, a.dropout, place)).times(x).Mul(total.Recip())
}

// gatLayer is all heads of a layer, side by side.
type gatLayer struct {
	name  string
	att   *attention
	heads int
	input.Linear
	to, from *ad.Param // a and a′, 1×out, heads side by side
}

func newGATLayer(att *attention, name string, in, out, heads int, seed uint64) gatLayer {
	score := func(part string) *ad.Param {
		// a head's part maps out/heads numbers to one
		return random.Uniform(name+part, 1, out, random.Glorot(out/heads, 1), seed)
	}
	return gatLayer{name, att, heads, input.NewLinear(name, in, out, seed), score(".to"), score(".from")}
}

func (l gatLayer) params() []*ad.Param { return append(l.Params(), l.to, l.from) }

func (l gatLayer) forward(c input.Context, x input.Features) ad.Var {
	y := x.MatMul(l.W.Var)
	d := y.Cols() / l.heads
	s, t := l.scores(y, l.to.Var, d), l.scores(y, l.from.Var, d)
	largest := ad.RelStats(l.att.arrivals, ad.Stop(t), ad.Fill(mat.Shape{Rows: 1, Cols: l.heads}, 1), false).Max
	outs := make([]ad.Var, l.heads)
	for i := range outs {
		head := func(v ad.Var) ad.Var { return v.Columns(i, i+1) }
		outs[i] = l.att.mean(c, head(s), head(t), head(largest), y.Columns(i*d, (i+1)*d),
			fmt.Sprintf("%s head %d", l.name, i))
	}
	return ad.Concat(outs...).Add(l.B.Var)
}

// scores returns the inner products of a with every head's columns of y, n×heads from n×(heads·d).
func (l gatLayer) scores(y, a ad.Var, d int) ad.Var {
	n := y.Rows()
	return y.Mul(a).Reshape(n*l.heads, d).SumCols().Reshape(n, l.heads)
}

// attend is attention as a block's aggregate.
type attend struct {
	gatLayer
	separate bool
}

func (a attend) forward(c input.Context, h ad.Var) ad.Var {
	z := a.gatLayer.forward(c, input.Of(h))
	if a.separate {
		return ad.Concat(h, z)
	}
	return z
}
