package input

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/random"
)

// NewEmbedding is π(v) = row v of a trained matrix, nodes×d, for nodes without features. Its entries start uniform in
// ±√(3/d), so rows start with a norm of about 1.
//
// Chosen: Glorot's bound, as for the matrix of one-hot features that this stands for, would go to 0 with
// the number of nodes.
func NewEmbedding(name string, nodes, d int, seed uint64) Model {
	return embedding{random.Uniform(name, nodes, d, math.Sqrt(3/float64(max(1, d))), seed)}
}

type embedding struct {
	e *ad.Param // n×d
}

// Forward returns the matrix; x says only how many nodes there are.
func (m embedding) Forward(c Context, x Features) ad.Var {
	if x.Shape().Rows != m.e.Rows() {
		panic(fmt.Sprintf("input: %d nodes for an embedding of shape %v", x.Shape().Rows, m.e.Shape()))
	}
	return m.e.Var
}

func (m embedding) Params() []*ad.Param { return []*ad.Param{m.e} }
