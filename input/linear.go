package input

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/random"
)

// Linear is π(x; W) = x W + b.
type Linear struct {
	W, B *ad.Param // in×out and 1×out; no B means 0
}

var _ Model = Linear{}

// NewLinear returns a layer with Glorot weights and a bias that starts at 0.
func NewLinear(name string, in, out int, seed uint64) Linear {
	return Linear{W: Glorot(name+".W", in, out, seed), B: random.Filled(name+".b", 1, out, 0)}
}

// newMatrix returns a layer x W without a bias.
func newMatrix(name string, in, out int, seed uint64) Linear {
	return Linear{W: Glorot(name+".W", in, out, seed)}
}

// Forward returns x W + b.
func (l Linear) Forward(c Context, x Features) ad.Var {
	y := x.MatMul(l.W.Var)
	if l.B == nil {
		return y
	}
	return y.Add(l.B.Var)
}

// Params returns W and b.
func (l Linear) Params() []*ad.Param {
	if l.B == nil {
		return []*ad.Param{l.W}
	}
	return []*ad.Param{l.W, l.B}
}
