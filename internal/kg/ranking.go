package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Ranking compares the scores of true triples, p×1, with the scores of k false ones each, p×k.
type Ranking interface {
	Of(positive, negative ad.Var) ad.Var
}

// Additive is a Ranking that is a mean over true triples.
type Additive interface {
	Ranking
	// Each returns the loss of every true triple, p×1, of which Of is the mean.
	Each(positive, negative ad.Var) ad.Var
}

// Softplus is binary cross-entropy (eq:kge_basic_loss), the mean over all triples,
//
//	( Σ⁺ softplus(−s) + Σ⁻ softplus(s) ) / (number of triples)
//
// Deviation: the paper prints the log-likelihood, which it then minimises; the sign is turned. Chosen: the
// mean, where the paper has the sum.
type Softplus struct{}

// Of returns the mean over all triples.
func (Softplus) Of(positive, negative ad.Var) ad.Var {
	n := positive.Shape().Len() + negative.Shape().Len()
	return positive.Neg().Softplus().Sum().Add(negative.Softplus().Sum()).Scale(1 / float64(max(1, n)))
}

// Each returns the mean over a true triple and its false ones.
func (Softplus) Each(positive, negative ad.Var) ad.Var {
	return positive.Neg().Softplus().Add(negative.Softplus().SumCols()).Scale(1 / float64(1+negative.Cols()))
}

// Softmax is the mean of −log( exp s⁺ / (exp s⁺ + Σ exp s⁻) ): which of k + 1 triples is the true one.
type Softmax struct{}

// Of returns the mean cross-entropy.
func (Softmax) Of(positive, negative ad.Var) ad.Var {
	return ad.Concat(positive, negative).CrossEntropy(first(positive.Rows(), 1+negative.Cols()), nil)
}

// Each returns the cross-entropy of a true triple.
func (Softmax) Each(positive, negative ad.Var) ad.Var {
	return ad.Concat(positive, negative).LogSoftmax().Columns(0, 1).Neg()
}

// first is class 0 of k, n times.
func first(n, k int) *mat.Index { return mat.MustIndex(make([]int32, n), k) }

// SelfAdversarial weighs false triples by how true they look (Sun et al. 2019):
//
//	mean of ½[ softplus(−s⁺) + Σ_i p_i softplus(s⁻_i) ]        p = softmax(T s⁻)
//
// p is a constant to the derivative. With T = 0 all p are 1/k.
type SelfAdversarial struct{ T float64 }

// Of returns the weighted mean, 0 without triples.
func (l SelfAdversarial) Of(positive, negative ad.Var) ad.Var {
	return l.sums(positive, negative).Sum().Scale(0.5 / float64(max(1, positive.Shape().Len())))
}

// Each returns the weighted loss of a true triple.
func (l SelfAdversarial) Each(positive, negative ad.Var) ad.Var {
	return l.sums(positive, negative).Scale(0.5)
}

// sums returns the brackets.
func (l SelfAdversarial) sums(positive, negative ad.Var) ad.Var {
	p := ad.Stop(negative.Scale(l.T).Softmax())
	return positive.Neg().Softplus().Add(negative.Softplus().RowDot(p))
}

var (
	_ Additive = Softplus{}
	_ Additive = Softmax{}
	_ Additive = SelfAdversarial{}
)
