package train

import (
	"math"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/mat"
)

// optimizer moves parameters against their gradients.
type optimizer struct {
	config config.Train
	slots  []slot
	dot    *mat.Dense // 1×1
}

// slot is a parameter with what the optimiser remembers about it.
type slot struct {
	param  *ad.Param
	decay  float64
	memory []*mat.Dense // Adam: both moments; SGD with momentum: the velocity
	grad   *mat.Dense   // the gradient where it is changed first; gradients as a program gives them may share memory
}

// memories are the names of what an optimiser remembers.
func memories(c config.Train) []string {
	switch {
	case c.Optimizer != "sgd":
		return []string{"first", "second"}
	case c.Momentum > 0:
		return []string{"velocity"}
	}
	return nil
}

func newOptimizer(c config.Train, params []*ad.Param) *optimizer {
	o := &optimizer{config: c, dot: mat.New(1, 1)}
	for _, p := range params {
		s := slot{param: p}
		if decays(p) {
			s.decay = c.WeightDecay
		}
		for range memories(c) {
			s.memory = append(s.memory, mat.New(p.Rows(), p.Cols()))
		}
		if c.Clip > 0 || c.Optimizer == "sgd" {
			s.grad = mat.New(p.Rows(), p.Cols())
		}
		o.slots = append(o.slots, s)
	}
	return o
}

// decays reports whether weight decay applies to p: to weights, but not to biases, norms, λ and γ, which are all one row.
func decays(p *ad.Param) bool { return p.Rows() > 1 || strings.HasSuffix(p.Name, ".W") }

// step moves every parameter at the given rate; t = 1, 2, … counts steps.
func (o *optimizer) step(grads []*mat.Dense, rate float64, t int) {
	scale := o.clip(grads)
	for i, s := range o.slots {
		g := grads[i]
		if s.grad != nil {
			mat.Affine(s.grad, g, mat.Real(scale), 0)
			g = s.grad
		}
		if o.config.Optimizer == "sgd" {
			o.sgd(s, rate)
			continue
		}
		mat.Adam(s.param.Value(), s.memory[0], s.memory[1], g, mat.AdamConfig{Rate: mat.Real(rate), Beta1: 0.9, Beta2: 0.999, Eps: 1e-8,
			Decay: mat.Real(s.decay), Decoupled: o.config.Optimizer == "adamw"}, t)
	}
}

// sgd is g ← g + decay·w, v ← μv + g, w ← w − rate·v.
func (o *optimizer) sgd(s slot, rate float64) {
	w, g := s.param.Value(), s.grad
	if s.decay != 0 {
		mat.Axpby(g, g, w, 1, mat.Real(s.decay))
	}
	if len(s.memory) > 0 {
		mat.Axpby(s.memory[0], g, s.memory[0], 1, mat.Real(o.config.Momentum))
		g = s.memory[0]
	}
	mat.Axpby(w, w, g, 1, mat.Real(-rate))
}

// clip is the factor, at most 1, that brings the norm of all gradients taken together down to that of the config.
func (o *optimizer) clip(grads []*mat.Dense) float64 {
	if o.config.Clip == 0 {
		return 1
	}
	sum := 0.0
	for _, g := range grads {
		mat.Dot(o.dot, g, g)
		sum += float64(o.dot.Item())
	}
	return min(1, o.config.Clip/math.Sqrt(max(sum, math.SmallestNonzeroFloat64)))
}
