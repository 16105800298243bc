package baseline

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// newSAGE returns GraphSAGE of Hamilton et al. (2017) with the mean, over all neighbours,
//
//	h_v ← [ h_v ‖ mean_u h_u ] W + b
//
// Chosen: rows are not scaled to length 1 after a layer, which the paper does and most systems leave out. A node
// without neighbours has the mean 0.
func newSAGE(o Options, g *graph.Graph) (Model, error) {
	mean := operators["sage"](g)
	if o.Blocks {
		return newBlocks("sage", o, 2, func(string) aggregate { return concat{mean} })
	}
	return newStack("sage", o, ReLU, func(name string, in, out int, _ bool) convolution {
		return sageLayer{mean, input.NewLinear(name, in, out, o.Seed),
			input.Glorot(name+".neighbours.W", in, out, o.Seed), nil}
	}), nil
}

// sageLayer is x W + mean(x) W′ + b: the product with [W; W′], one above the other.
type sageLayer struct {
	mean operator
	input.Linear
	neighbours *ad.Param  // W′
	own        *mat.Index // where the rows of the output are in x; nil if they are all rows
}

func (l sageLayer) forward(c input.Context, x input.Features) ad.Var {
	return l.itself(c, x).Add(l.mean.linear(x, l.neighbours.Var))
}

// itself returns x W + b at the rows of the output.
func (l sageLayer) itself(c input.Context, x input.Features) ad.Var {
	d, dense := x.Dense()
	switch {
	case l.own == nil:
		return l.Forward(c, x)
	case dense:
		return l.Forward(c, input.Of(d.Gather(l.own)))
	}
	return l.Forward(c, x).Gather(l.own)
}

func (l sageLayer) params() []*ad.Param { return append(l.Params(), l.neighbours) }

func (l sageLayer) withOperator(o operator) convolution {
	return sageLayer{o, l.Linear, l.neighbours, nil}
}
func (l sageLayer) reach(rows []int32) []int32 { return union(rows, l.mean.reach(rows)) }
func (l sageLayer) restrictTo(rows, from []int32) convolution {
	return sageLayer{l.mean.restrictTo(rows, from), l.Linear, l.neighbours, places(rows, from, l.mean.Cols)}
}

// concat aggregates to [h ‖ S h], n×2d.
type concat struct{ adj operator }

func (a concat) forward(_ input.Context, h ad.Var) ad.Var { return ad.Concat(h, a.adj.times(h)) }
func (concat) params() []*ad.Param                        { return nil }
