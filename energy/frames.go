package energy

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Rotations are Frames that turn pairs of columns, j and j + k with k = ⌊d/2⌋, by angles of their own,
//
//	θ_v = π tanh( x_v W + (S x)_v N + b )       S = D^−½ A D^−½
//
// one row of k angles a node. own, W, and near, N, have as many rows as there are features and k columns; bias, b, is
// 1×k. The last column of an odd d stays as it is. θ = 0 is no turn at all.
func Rotations(own, near, bias *ad.Param) Frames { return rotations{own, near, bias} }

type rotations struct{ own, near, bias *ad.Param }

func (r rotations) Params() []*ad.Param { return []*ad.Param{r.own, r.near, r.bias} }

// Turn is by the angles of x.
func (r rotations) Turn(on *Structure, x ad.Var) Turn {
	theta := around(on, x, r.own, r.near, r.bias).Tanh().Scale(math.Pi)
	return rotation{ad.Concat(theta.Map("cos", 0), theta.Map("sin", 0))}
}

// around is x W + S x N + b: of the features of a node and of its neighbours.
func around(on *Structure, x ad.Var, own, near, bias *ad.Param) ad.Var {
	root := on.RootDegree()
	return x.MatMul(own.Var).Add(on.Messages(x.MatMul(near.Var).Mul(root)).Mul(root)).Add(bias.Var)
}

// rotation is complex numbers of modulus 1, n×2k as [cos | sin], one for every pair of columns.
type rotation struct{ unit ad.Var }

var _ Turn = rotation{}

func (r rotation) There(h ad.Var) ad.Var   { return r.times(h, false) }
func (r rotation) Back(h ad.Var) ad.Var    { return r.times(h, true) }
func (r rotation) rows(of *mat.Index) Turn { return rotation{r.unit.Gather(of)} }

// times is h∘unit, or back, in the columns that are paired.
func (r rotation) times(h ad.Var, back bool) ad.Var {
	paired, d := r.unit.Cols(), h.Cols()
	y := h.Columns(0, paired).MulComplex(r.unit, back)
	if paired == d {
		return y
	}
	return ad.Concat(y, h.Columns(paired, d))
}
