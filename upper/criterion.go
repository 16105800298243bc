package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Criterion compares predictions z, n×c, with what is known. It is a mean, so that rates and weights keep their
// meaning when the number of labels changes, and 0 where nothing is known.
type Criterion interface{ Of(z ad.Var) ad.Var }

// CrossEntropy is the mean over the picked nodes of −log softmax(z_v)[y_v].
type CrossEntropy struct {
	Labels *mat.Index // a class for every node
	Pick   *mat.Index // which nodes count, none twice; nil means all
}

// Of is the mean cross-entropy.
func (l CrossEntropy) Of(z ad.Var) ad.Var { return z.CrossEntropy(l.Labels, l.Pick) }

// MultiLabel is binary cross-entropy for several labels a node: the mean over the picked nodes and all
// columns of
//
//	−y log ρ(z) − (1 − y) log(1 − ρ(z)) = y softplus(−z) + (1 − y) softplus(z)
//
// with ρ the sigmoid. One column is binary classification.
type MultiLabel struct {
	Labels *mat.Dense // n×c, 0 or 1, or probabilities; must not change
	Pick   *mat.Index // which nodes count; nil means all
}

// Of is the mean binary cross-entropy.
func (l MultiLabel) Of(z ad.Var) ad.Var {
	z, y := picked(z, l.Pick), picked(ad.Const(l.Labels), l.Pick)
	return mean(z.Neg().Softplus().Mul(y).Add(z.Softplus().Mul(y.Neg().Shift(1))))
}

// MSE is the mean over the picked nodes and all columns of (z − y)².
type MSE struct {
	Target *mat.Dense // n×c; must not change
	Pick   *mat.Index // which nodes count; nil means all
}

// Of is the mean squared error.
func (l MSE) Of(z ad.Var) ad.Var {
	return mean(picked(z, l.Pick).Sub(picked(ad.Const(l.Target), l.Pick)).Square())
}

func picked(v ad.Var, pick *mat.Index) ad.Var {
	if pick == nil {
		return v
	}
	return v.Gather(pick)
}

var (
	_ Criterion = CrossEntropy{}
	_ Criterion = MultiLabel{}
	_ Criterion = MSE{}
)
