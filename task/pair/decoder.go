package pair

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
//	g = MLP(h_u ∘ h_v, c) + ⟨w, c⟩        ⟨h_u, h_v⟩ + ⟨w, c⟩ without layers
//
// c are the columns of the pair; the second term is there where pairs.alike is.
type decoder struct {
	head  upper.Head // nil for the product
	short upper.Head // nil without the second term
}

// newDecoder returns the decoder of rows of dim numbers and pairs of some columns.
func newDecoder(c config.Config, dim, columns int, seed uint64) (g decoder, err error) {
	if c.Pairs.Alike {
		g.short = upper.NewLinear("short", columns, 1, mat.Mix(seed, hashShort))
	}
	if c.Model.After == 0 {
		return g, nil
	}
	sizes := []int{dim + columns}
	for range c.Model.After - 1 {
		sizes = append(sizes, c.Model.Hidden)
	}
	norm := input.Norm(slices.Index([]string{"none", "batch", "layer"}, c.Model.Norm))
	g.head, err = upper.NewMLP(input.MLP{Name: "head", Sizes: append(sizes, 1), Dropout: c.Model.Dropout, Norm: norm,
		Residual: c.Model.Residual, Seed: seed})
	return g, err
}

// score returns z, a row for every pair of u and v; columns, which have a row a pair, may be absent.
func (g decoder) score(c input.Context, h ad.Var, u, v *mat.Index, columns ad.Var) (z ad.Var) {
	a, b := h.Gather(u), h.Gather(v)
	switch {
	case g.head == nil:
		z = a.RowDot(b)
	case columns.IsZero():
		z = g.head.Predict(c, a.Mul(b))
	default:
		z = g.head.Predict(c, ad.Concat(a.Mul(b), columns))
	}
	if g.short != nil {
		z = z.Add(g.short.Predict(c, columns))
	}
	return z
}

func (g decoder) params() (list []*ad.Param) {
	for _, h := range []upper.Head{g.head, g.short} {
		if h != nil {
			list = append(list, h.Params()...)
		}
	}
	return list
}

func (g decoder) state() []*ad.Param {
	if s, ok := g.head.(input.Stateful); ok {
		return s.State()
	}
	return nil
}
