package input

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Pieces is a piecewise-linear encoding of numbers (Gorishniy et al. 2022). With the knots k of column j of x, n×c,
// piece i of the column is
//
//	z_i = min(max((x_j − k_i)/(k_{i+1} − k_i), 0), 1)
//
// so that a layer on top is a piecewise-linear function of every column, which large values cannot run away with.
type Pieces struct {
	scale, shift *ad.Param // A, c×m, with 1/(k_{i+1} − k_i) in row j of piece i; b, 1×m: z = clamp(x A + b)
}

// NewPieces makes the encoding of columns with knots, ascending; a column with fewer than two has no pieces. There must
// be one piece at least.
func NewPieces(name string, knots [][]float64) Pieces {
	m := 0
	for _, k := range knots {
		m += max(len(k)-1, 0)
	}
	a, b, at := make([]mat.Real, len(knots)*m), make([]mat.Real, m), 0
	for j, k := range knots {
		for i := range max(len(k)-1, 0) {
			slope := 1 / (k[i+1] - k[i])
			a[j*m+at], b[at] = mat.Real(slope), mat.Real(-k[i]*slope)
			at++
		}
	}
	return Pieces{ad.NewParam(name+".scale", mat.FromSlice(len(knots), m, a)),
		ad.NewParam(name+".shift", mat.FromSlice(1, m, b))}
}

// Columns returns m, the number of pieces.
func (p Pieces) Columns() int { return p.shift.Cols() }

// Before returns model m on the pieces.
func (p Pieces) Before(m Model) Model { return encoded{m, p} }

// encoded is a model on pieces.
type encoded struct {
	Model
	Pieces
}

var (
	_ Model    = encoded{}
	_ Stateful = encoded{}
)

// Forward returns the model of the pieces of x.
func (m encoded) Forward(c Context, x Features) ad.Var {
	z := x.MatMul(m.scale.Var).Add(m.shift.Var).ReLU()
	return m.Model.Forward(c, Of(z.Neg().Shift(1).ReLU().Neg().Shift(1))) // min(z, 1) = 1 − max(1 − z, 0)
}

// State returns A and b, which no optimiser changes, and the model's state.
func (m encoded) State() []*ad.Param {
	state := []*ad.Param{m.scale, m.shift}
	if s, ok := m.Model.(Stateful); ok {
		state = append(state, s.State()...)
	}
	return state
}
