package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// optimizer moves parameters against their gradients.
type optimizer struct {
	kind   Optimizer
	params []*ad.Param
	first  []*mat.Dense // the first moment of Adam; room for g/√s of Adagrad
	second []*mat.Dense // the second moment of Adam; s of Adagrad
	steps  int
}

func newOptimizer(kind Optimizer, params []*ad.Param) *optimizer {
	o := &optimizer{kind: kind, params: params}
	for _, p := range params {
		o.first = append(o.first, mat.New(p.Rows(), p.Cols()))
		o.second = append(o.second, mat.New(p.Rows(), p.Cols()))
	}
	return o
}

// step moves all parameters at the given rate.
func (o *optimizer) step(grads []*mat.Dense, rate float64) {
	o.steps++
	for i, p := range o.params {
		if o.kind == Adagrad {
			adagrad(p.Value(), o.first[i], o.second[i], grads[i], rate)
			continue
		}
		mat.Adam(p.Value(), o.first[i], o.second[i], grads[i], mat.AdamConfig{Rate: mat.Real(rate), Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, o.steps)
	}
}

// adagrad is s ← s + g², w ← w − rate·g/√(s + ε), with room for one more matrix.
func adagrad(w, room, s, g *mat.Dense, rate float64) {
	const eps = 1e-10
	mat.MulAdd(s, g, g, 1)
	mat.Affine(room, s, 1, eps)
	mat.Map(room, room, mat.Sqrt, 0, 0)
	mat.Map(room, room, mat.Recip, 0, 0)
	mat.Mul(room, room, g, 1)
	mat.Axpby(w, w, room, 1, mat.Real(-rate))
}

// at is the factor of the learning rate when a share t of the training is done.
func (s Schedule) at(t float64) float64 {
	if s == Linear {
		return 1 - t
	}
	return 1
}
