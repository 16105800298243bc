package baseline

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
)

// newGCN returns the graph convolutional network of Kipf and Welling (2017), layers of
//
//	h ← Â h W + b,   Â = D^-1/2 (A + I) D^-1/2,   D the degrees of A + I
//
// Chosen: there is a bias, as in most systems; the authors' program has none. In Blocks with Separate a node is
// concatenated with what it aggregates, [h ‖ Â h].
func newGCN(o Options, g *graph.Graph) (Model, error) {
	adj := operators["gcn"](g)
	if o.Blocks {
		if o.Separate {
			return newBlocks("gcn", o, 2, func(string) aggregate { return concat{adj} })
		}
		return newBlocks("gcn", o, 1, func(string) aggregate { return smooth{adj} })
	}
	return newStack("gcn", o, ReLU, func(name string, in, out int, _ bool) convolution {
		return o.withOwn(gcnLayer{adj, input.NewLinear(name, in, out, o.Seed)}, name, in, out)
	}), nil
}

// gcnLayer is Â x W + b.
type gcnLayer struct {
	adj operator
	input.Linear
}

func (l gcnLayer) forward(_ input.Context, x input.Features) ad.Var {
	return l.adj.linear(x, l.W.Var).Add(l.B.Var)
}

func (l gcnLayer) params() []*ad.Param                 { return l.Params() }
func (l gcnLayer) withOperator(o operator) convolution { return gcnLayer{o, l.Linear} }
func (l gcnLayer) reach(rows []int32) []int32          { return l.adj.reach(rows) }
func (l gcnLayer) restrictTo(rows, from []int32) convolution {
	return gcnLayer{l.adj.restrictTo(rows, from), l.Linear}
}

// smooth aggregates to S h, n×d.
type smooth struct{ adj operator }

func (a smooth) forward(_ input.Context, h ad.Var) ad.Var { return a.adj.times(h) }
func (smooth) params() []*ad.Param                        { return nil }
