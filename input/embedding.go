package input

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
)

// Embedding is π(v) = row v of a trained matrix, for nodes without features.
type Embedding struct {
	E *ad.Param // n×d
}

var _ Model = Embedding{}

// NewEmbedding has entries uniform in ±√(3/d), so that rows start with a norm of about 1.
//
// Chosen: Glorot's bound, as for the matrix of one-hot features that this stands for, would go to 0 with
// the number of nodes.
func NewEmbedding(name string, nodes, d int, seed uint64) Embedding {
	return Embedding{Uniform(name, nodes, d, math.Sqrt(3/float64(max(1, d))), seed)}
}

// Forward is the matrix; x says only how many nodes there are.
func (m Embedding) Forward(c Context, x Features) ad.Var {
	if x.Shape().Rows != m.E.Rows() {
		panic(fmt.Sprintf("input: %d nodes for an embedding of shape %v", x.Shape().Rows, m.E.Shape()))
	}
	return m.E.Var
}

// Params is the matrix.
func (m Embedding) Params() []*ad.Param { return []*ad.Param{m.E} }
