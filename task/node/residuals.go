package node

import (
	"math"

	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
)

// Chosen: five folds, and forty rounds for each: what a node's own columns tell, roughly.
const (
	folds      = 5
	foldRounds = 40
)

// outOfFold returns residuals of the training nodes, a row each: labels minus the predictions of trees on own
// columns, fitted to other training nodes. The residuals are what the place in the graph may explain.
func (f *forest) outOfFold() []mat.Real {
	k, own := f.base.Cols(), f.table.own()
	left := make([]mat.Real, len(f.Split.Train)*k)
	if own == 0 {
		return left
	}
	whole := make([]float32, f.table.columns)
	t := fit.NewTable(f.scores.Rows(), own, func(to []float32, v int) {
		f.table.row(whole, v)
		copy(to, whole)
	})
	o := f.options()
	o.Rate = 0.1
	base := f.first()
	z, g, h := make([]mat.Real, k), make([]mat.Real, k), make([]mat.Real, k)
	for fold := range folds {
		b := fit.NewBooster(t, k, o)
		b.Fitted = []int32{}
		for i, v := range f.Split.Train {
			if i%folds != fold {
				b.Fitted = append(b.Fitted, v)
			}
		}
		allG, allH := make([]float32, len(b.Scores())), make([]float32, len(b.Scores()))
		for round := range foldRounds {
			for _, v := range b.Fitted {
				f.scored(z, base, b.Scores(), v)
				f.derive(v, z, g, h)
				for c := range k {
					allG[int(v)*k+c], allH[int(v)*k+c] = float32(g[c]), float32(h[c])
				}
			}
			b.Round(round, allG, allH)
		}
		for i, v := range f.Split.Train {
			if i%folds == fold {
				f.scored(z, base, b.Scores(), v)
				f.derive(v, z, g, h)
				for c := range k {
					left[i*k+c] = -g[c]
				}
			}
		}
	}
	return left
}

// scored computes the row of scores of node v above the base.
func (f *forest) scored(z, base []mat.Real, scores []float32, v int32) {
	for c := range z {
		z[c] = base[c] + mat.Real(scores[int(v)*len(z)+c])
	}
}

// derive computes the first and second derivatives of the loss of training node v by its logits z: of cross-entropy,
// with k/(k − 1) p (1 − p) as the second as usual in boosting, of binary cross-entropy, or of squares.
func (f *forest) derive(v int32, z, g, h []mat.Real) {
	k := len(z)
	switch goal := f.goal.(type) {
	case *classes:
		weight := 1.0
		if goal.weight != nil {
			weight = float64(goal.weight[goal.Class[v]])
		}
		top, sum := z[0], 0.0
		for _, x := range z {
			top = max(top, x)
		}
		for _, x := range z {
			sum += math.Exp(float64(x - top))
		}
		for c, x := range z {
			p := math.Exp(float64(x-top)) / sum
			h[c] = mat.Real(weight * max(p*(1-p)*float64(k)/float64(max(1, k-1)), 1e-6))
			if g[c] = mat.Real(weight * p); int32(c) == goal.Class[v] {
				g[c] = mat.Real(weight * (p - 1))
			}
		}
	case *sets:
		for c, x := range z {
			p := 1 / (1 + math.Exp(-float64(x)))
			g[c], h[c] = mat.Real(p)-goal.Values[int(v)*k+c], mat.Real(max(p*(1-p), 1e-6))
		}
	case *numbers:
		g[0], h[0] = z[0]-goal.scaled(float64(goal.Values[v])), 1
	}
}
