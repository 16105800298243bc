package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// adam is Adam with what it remembers.
type adam struct {
	params        []*ad.Param
	first, second []*mat.Dense
	steps         int
}

func newAdam(params []*ad.Param) *adam {
	a := &adam{params: params}
	for _, p := range params {
		a.first, a.second = append(a.first, mat.New(p.Rows(), p.Cols())), append(a.second, mat.New(p.Rows(), p.Cols()))
	}
	return a
}

// step moves the parameters against grads.
func (a *adam) step(grads []*mat.Dense, rate float64) {
	a.steps++
	c := mat.AdamConfig{Rate: mat.Real(rate), Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	for i, p := range a.params {
		mat.Adam(p.Value(), a.first[i], a.second[i], grads[i], c, a.steps)
	}
}

// changing adds the parameters, what Adam remembers of them and their kept copies to a state.
func (a *adam) changing(state map[string]any, best kept) {
	state["steps"] = &a.steps
	for i, p := range a.params {
		state["now/"+p.Name], state["first/"+p.Name], state["second/"+p.Name], state["best/"+p.Name] = p.Value(), a.first[i], a.second[i], best[i]
	}
}

// kept are copies of weights.
type kept []*mat.Dense

func keep(params []*ad.Param) kept {
	k := make(kept, len(params))
	for i, p := range params {
		k[i] = mat.New(p.Rows(), p.Cols())
	}
	k.take(params)
	return k
}

func (k kept) take(params []*ad.Param) {
	for i, p := range params {
		mat.Copy(k[i], p.Value())
	}
}

func (k kept) restore(params []*ad.Param) {
	for i, p := range params {
		mat.Copy(p.Value(), k[i])
	}
}
