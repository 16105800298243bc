package upper

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Pairs are pairs of nodes (u, v).
type Pairs struct{ U, V *mat.Index }

// NewPairs are the ends of triples in a graph of n nodes, or an error for one out of range.
func NewPairs(list []graph.Triple, n int) (Pairs, error) {
	t, err := NewTriples(list, n, 0)
	return Pairs{t.U, t.V}, err
}

// PairScore says how likely pairs are: one logit for every row of u and v.
type PairScore interface {
	Score(c input.Context, u, v ad.Var) ad.Var
	Params() []*ad.Param
}

// Link is the loss of link prediction: binary cross-entropy of scores, the mean over all pairs,
//
//	( Σ⁺ softplus(−s(h_u, h_v)) + Σ⁻ softplus(s(h_u, h_v)) ) / (number of pairs)
type Link struct {
	Scorer             PairScore
	Positive, Negative Pairs
}

var (
	_ Loss           = Link{}
	_ input.Stateful = Link{}
)

// Loss is the mean binary cross-entropy.
func (l Link) Loss(c input.Context, h ad.Var) ad.Var {
	return meanOf(l.Score(c, h, l.Positive).Neg().Softplus(), l.Score(c, h, l.Negative).Softplus())
}

// Score is a logit for every pair, k×1.
func (l Link) Score(c input.Context, h ad.Var, p Pairs) ad.Var {
	return l.Scorer.Score(c, h.Gather(p.U), h.Gather(p.V))
}

// Params is Θ of the score.
func (l Link) Params() []*ad.Param { return l.Scorer.Params() }

// State is what the score keeps, if anything.
func (l Link) State() []*ad.Param { return state(l.Scorer) }

// meanOf is the mean of the entries of both.
func meanOf(a, b ad.Var) ad.Var {
	n := a.Shape().Len() + b.Shape().Len()
	return a.Sum().Add(b.Sum()).Scale(1 / float64(max(1, n)))
}

// Dot scores by ⟨h_u, h_v⟩.
type Dot struct{}

// Score is the inner product.
func (Dot) Score(c input.Context, u, v ad.Var) ad.Var { return u.RowDot(v) }

// Params is empty.
func (Dot) Params() []*ad.Param { return nil }

// Bilinear scores by h_u M h_vᵀ.
type Bilinear struct{ M *ad.Param }

// NewBilinear starts with M = 1, where it is Dot.
func NewBilinear(name string, d int) Bilinear { return Bilinear{ad.NewParam(name, mat.Eye(d))} }

// Score is the bilinear form.
func (b Bilinear) Score(c input.Context, u, v ad.Var) ad.Var { return u.MatMul(b.M.Var).RowDot(v) }

// Params is M.
func (b Bilinear) Params() []*ad.Param { return []*ad.Param{b.M} }

// PairMLP scores by a perceptron with one output on h_u ∘ h_v, so that (u, v) and (v, u) score the same.
type PairMLP struct{ Net *input.Net }

// NewPairMLP is a score of the given description.
func NewPairMLP(c input.MLP) (PairMLP, error) {
	if n := len(c.Sizes); n == 0 || c.Sizes[n-1] != 1 {
		return PairMLP{}, fmt.Errorf("upper: the score of a pair has one output, not sizes %v", c.Sizes)
	}
	net, err := input.NewMLP(c)
	return PairMLP{net}, err
}

// Score is the perceptron.
func (m PairMLP) Score(c input.Context, u, v ad.Var) ad.Var {
	return m.Net.Forward(c, input.Of(u.Mul(v)))
}

// Params is Θ of the perceptron.
func (m PairMLP) Params() []*ad.Param { return m.Net.Params() }

// State is what the perceptron keeps.
func (m PairMLP) State() []*ad.Param { return m.Net.State() }

var (
	_ PairScore = Dot{}
	_ PairScore = Bilinear{}
	_ PairScore = PairMLP{}
)
