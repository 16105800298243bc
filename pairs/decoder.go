package pairs

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// decoder is g(h_u, h_v): a number for every pair.
//
//	g = MLP(h_u ∘ h_v, what u and v have in common)        or ⟨h_u, h_v⟩ without layers
type decoder struct {
	head upper.Head // nil for the product
}

func newDecoder(c config.Config, dim int, seed uint64) (decoder, error) {
	if c.Model.After == 0 {
		return decoder{}, nil
	}
	if c.Pairs.Common {
		dim += commons
	}
	sizes := []int{dim}
	for range c.Model.After - 1 {
		sizes = append(sizes, c.Model.Hidden)
	}
	norm := input.Norm(slices.Index([]string{"none", "batch", "layer"}, c.Model.Norm))
	g, err := upper.NewMLP(input.MLP{Name: "head", Sizes: append(sizes, 1), Dropout: c.Model.Dropout, Norm: norm,
		Residual: c.Model.Residual, Seed: seed})
	return decoder{g}, err
}

// score is z, a row for every pair of u and v; common, which has a row a pair, may be absent.
func (g decoder) score(c input.Context, h ad.Var, u, v *mat.Index, common ad.Var) ad.Var {
	a, b := h.Gather(u), h.Gather(v)
	if g.head == nil {
		return a.RowDot(b)
	}
	x := a.Mul(b)
	if !common.IsZero() {
		x = ad.Concat(x, common)
	}
	return g.head.Predict(c, x)
}

func (g decoder) params() []*ad.Param {
	if g.head == nil {
		return nil
	}
	return g.head.Params()
}

func (g decoder) state() []*ad.Param {
	if s, ok := g.head.(input.Stateful); ok {
		return s.State()
	}
	return nil
}
