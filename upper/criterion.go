package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// Criterion is how far predictions z, n×c, are from what is known, 1×1. It is a mean, so rates and weights keep their
// meaning when the number of labels changes, and 0 if nothing is known. It holds no data.
type Criterion interface {
	Of(z ad.Var, y Target) ad.Var
}

// Target is what is known about the rows of a prediction: Class or Value. Neither may change between runs, except that
// the indices may belong to mini-batches, which the code that draws them refills.
type Target struct {
	Class *mat.Index // a class for every row
	Value *mat.Dense // n×c: numbers, or probabilities of classes
	Pick  *mat.Index // which rows count, none twice; nil means all
	// Weight is how much every row counts, n×1, above 0: means become Σ w_v ℓ_v / Σ w_v. nil means all alike.
	Weight *mat.Dense
}

// rows returns the rows of z that count, and their targets: numbers, or 1 for the class and 0 for others.
func (y Target) rows(z ad.Var) (now, want ad.Var) {
	if y.Class != nil {
		want = ad.Eye(z.Cols()).Gather(y.Class)
	} else {
		want = ad.Const(y.Value)
	}
	if y.Pick == nil {
		return z, want
	}
	return z.Gather(y.Pick), want.Gather(y.Pick)
}

// mean returns the mean of all entries, one row of them for every row that counts, by weight; 0 if there are no rows.
func (y Target) mean(v ad.Var) ad.Var {
	if v.Shape().Len() == 0 {
		return ad.Number(0)
	}
	if y.Weight == nil {
		return v.Mean()
	}
	w := ad.Const(y.Weight)
	if y.Pick != nil {
		w = w.Gather(y.Pick)
	}
	return v.Mul(w).Sum().Div(w.Sum().Scale(float64(v.Cols())))
}

// Auto is the criterion that a task chooses: CrossEntropy of classes, Binary of sets of them, Squared of numbers.
var Auto Criterion = auto{}

type auto struct{}

// Of is CrossEntropy of classes and Squared of others; a task may choose another criterion.
func (auto) Of(z ad.Var, y Target) ad.Var {
	if y.Class != nil {
		return CrossEntropy.Of(z, y)
	}
	return Squared.Of(z, y)
}

// CrossEntropy is the mean of −log softmax(z_v)[y_v], y_v being a class.
var CrossEntropy Criterion = crossEntropy{}

type crossEntropy struct{}

func (crossEntropy) Of(z ad.Var, y Target) ad.Var {
	if y.Weight == nil {
		return z.CrossEntropy(y.Class, y.Pick)
	}
	z, want := y.rows(z)
	return y.mean(z.LogSoftmax().RowDot(want).Neg())
}

// Binary is binary cross-entropy, for each column separately: the mean over rows of the sum over columns of
//
//	−y log ρ(z) − (1 − y) log(1 − ρ(z)) = y softplus(−z) + (1 − y) softplus(z)
//
// with ρ the sigmoid: several labels per node, or each class against the rest. A sum, as in CrossEntropy: a mean over c
// columns would make derivatives c times smaller compared with weight decay, which would then dominate.
var Binary Criterion = binary{}

type binary struct{}

func (binary) Of(z ad.Var, y Target) ad.Var {
	z, want := y.rows(z)
	return y.mean(z.Neg().Softplus().Mul(want).Add(z.Softplus().Mul(want.Neg().Shift(1))).SumCols())
}

// Squared is the mean over rows and columns of (z − y)².
var Squared Criterion = squared{}

type squared struct{}

func (squared) Of(z ad.Var, y Target) ad.Var {
	z, want := y.rows(z)
	return y.mean(z.Sub(want).Square())
}

// Huber is squared up to δ and linear beyond, so a few outlying targets do not dominate: the mean over rows and columns
// of
//
//	ρ(z − y)        ρ(r) = r²/2 for |r| ≤ δ, else δ|r| − δ²/2
func Huber(delta float64) Criterion { return huberLoss{delta} }

type huberLoss struct {
	Delta float64 `key:"{name}" range:"(0,∞)" doc:"δ: where the loss turns linear, in standard deviations of the training targets"`
}

var huber = part.Part[Criterion]{Name: "huber", Text: "the mean of ρ(z − y), squared up to δ and linear beyond",
	New: Huber(1)}

func (l huberLoss) Of(z ad.Var, y Target) ad.Var {
	z, want := y.rows(z)
	return y.mean(z.Sub(want).Map("huber", l.Delta))
}

// Focal is the focal loss (Lin et al. 2017), cross-entropy that gives less weight to rows that are already right: the
// mean of
//
//	−(1 − p)^γ log p        p = softmax(z_v)[y_v]
//
// With γ = 0 it is CrossEntropy.
func Focal(gamma float64) Criterion { return focalLoss{gamma} }

type focalLoss struct {
	Gamma float64 `key:"{name}" range:"[0,∞)" doc:"γ: how strongly rows that are already right are down-weighted"`
}

var focal = part.Part[Criterion]{Name: "focal", Text: "the mean of −(1 − p)^γ log p", New: Focal(2)}

// Of returns the mean focal loss. 1 − p is the sum of the other probabilities, which does not cancel where p is near 1;
// it is bounded below by 1e-12, so derivatives are finite for every γ.
func (l focalLoss) Of(z ad.Var, y Target) ad.Var {
	if l.Gamma == 0 {
		return CrossEntropy.Of(z, y)
	}
	z, want := y.rows(z)
	rest := z.Softmax().RowDot(want.Neg().Shift(1))
	rest = rest.Max(ad.Fill(rest.Shape(), 1e-12))
	return y.mean(rest.Log().Scale(l.Gamma).Exp().Mul(z.LogSoftmax().RowDot(want)).Neg())
}
