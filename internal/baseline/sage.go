package baseline

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
)

// newSAGE is GraphSAGE of Hamilton et al. (2017) with the mean, over all neighbours,
//
//	h_v ← [ h_v ‖ mean_u h_u ] W + b
//
// Chosen: rows are not scaled to length 1 after a layer, which the paper does and most systems leave out. A node
// without neighbours has the mean 0.
func newSAGE(o Options, g *graph.Graph) (Model, error) {
	mean := newOperator(g, graph.Left, graph.KeepLoops)
	if o.Blocks {
		return newBlocks("sage", o, 2, func(string) aggregate { return beside{mean} })
	}
	return newStack("sage", o, ReLU, func(name string, in, out int, _ bool) convolution {
		return sageLayer{mean, input.NewLinear(name, in, out, o.Seed),
			input.Glorot(name+".neighbours.W", in, out, o.Seed)}
	}), nil
}

// sageLayer is x W + mean(x) W′ + b: the product with [W; W′], one above the other.
type sageLayer struct {
	mean operator
	input.Linear
	neighbours *ad.Param // W′
}

func (l sageLayer) forward(c input.Context, x input.Features) ad.Var {
	return l.Forward(c, x).Add(l.mean.linear(x, l.neighbours.Var))
}

func (l sageLayer) params() []*ad.Param { return append(l.Params(), l.neighbours) }

// beside aggregates to [h ‖ S h], n×2d.
type beside struct{ adj operator }

func (a beside) forward(_ input.Context, h ad.Var) ad.Var { return ad.Concat(h, a.adj.times(h)) }
func (beside) params() []*ad.Param                        { return nil }
