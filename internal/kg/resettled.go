package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Resettled returns the model with entities that have seen only the facts of g, which has the same entities: relations
// stay, and all entities settle again, by the steps of the lower level of a bilevel model, or block by block as new
// ones do, see Add. With a g that lacks some facts of training it shows how the model would score them without having
// seen them.
func (m *Model) Resettled(g *graph.Graph) (*Model, error) {
	out, b := *m, m.Config.Bilevel
	out.H = ad.NewParam(m.H.Name, mat.New(m.H.Rows(), m.H.Cols()))
	mat.Copy(out.H.Value(), m.H.Value())
	switch {
	case b != nil && b.Block == 0:
		return &out, out.descendAll(g)
	case b == nil:
		how := Settle{}.filled(poolSize)
		out.Config.Bilevel = &Bilevel{L: how.L, Gamma: how.Gamma, Negatives: how.Negatives, Block: 256}
	}
	err := newBlocks(&out, g).sweep(evaluation)
	out.Config = m.Config
	return &out, err
}
