package baseline

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

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
