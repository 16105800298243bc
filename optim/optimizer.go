package optim

import (
	"math"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Optimizer moves parameters against their gradients. It owns its memory of them, and a step allocates nothing.
type Optimizer struct {
	Config
	// Steps counts the calls of Step. To resume training, the caller restores it.
	Steps int

	slots []slot
	rows  *mat.Index  // of the first parameter; nil for all
	part  slot        // copies of these rows
	moved []mat.Moved // what a step of Adam moves, all at once
	dot   *mat.Dense  // 1×1
	dots  *mat.Dense  // a number for every gradient
	sums  []mat.Real  // the same, on the host
}

// slot is a parameter with what the optimiser remembers about it.
type slot struct {
	name   string
	w      *mat.Dense
	decay  float64
	memory []*mat.Dense // as names of memories; nil without any
	grad   *mat.Dense   // a copy of the gradient where it is changed first, as programs share memory; nil if not
	room   *mat.Dense   // of Adagrad, for g/√s
}

// New returns an optimiser of params. It moves only the given rows of the first parameter, and expects the gradient of
// these rows; its memory of the other rows does not change. nil means all rows. rows may be refilled between steps.
//
// Adagrad does the same with all rows where the gradient of the others is 0; Adam is then the lazy one.
func New(c Config, params []*ad.Param, rows *mat.Index) (*Optimizer, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	o := &Optimizer{Config: c, rows: rows, dot: mat.New(1, 1),
		dots: mat.New(1, len(params)), sums: make([]mat.Real, len(params))}
	for _, p := range params {
		decay := 0.0
		if Decays(p) {
			decay = c.Decay
		}
		s := o.newSlot(p.Value(), decay)
		s.name = p.Name
		o.slots = append(o.slots, s)
	}
	if rows != nil {
		o.part = o.newSlot(mat.New(rows.Len(), params[0].Cols()), o.slots[0].decay)
	}
	return o, nil
}

// Decays reports whether weight decay applies to p: to weights, but not to biases, norms, λ and γ, which are all one
// row.
func Decays(p *ad.Param) bool { return p.Rows() > 1 || strings.HasSuffix(p.Name, ".W") }

func (o *Optimizer) newSlot(w *mat.Dense, decay float64) slot {
	s := slot{w: w, decay: decay}
	for range o.memories() {
		s.memory = append(s.memory, mat.New(w.Rows(), w.Cols()))
	}
	if o.Clip > 0 || o.Rule == ruleSGD || o.Rule == ruleAdagrad && decay != 0 {
		s.grad = mat.New(w.Rows(), w.Cols())
	}
	if o.Rule == ruleAdagrad {
		s.room = mat.New(w.Rows(), w.Cols())
	}
	return s
}

// memories returns the names of what the rule remembers.
func (o *Optimizer) memories() []string {
	switch {
	case o.Rule == ruleAdagrad:
		return []string{"second"}
	case o.Rule != ruleSGD:
		return []string{"first", "second"}
	case o.Momentum > 0:
		return []string{"velocity"}
	}
	return nil
}

// Memory returns what the optimiser remembers, by name: its own matrices, which change with every step. To resume
// training, the caller writes to them.
func (o *Optimizer) Memory() map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for _, s := range o.slots {
		for i, name := range o.memories() {
			all[name+"/"+s.name] = s.memory[i]
		}
	}
	return all
}

// Step moves every parameter at the given rate. grads are in the order of the parameters, and are only read.
func (o *Optimizer) Step(grads []*mat.Dense, rate float64) {
	o.Steps++
	scale := o.clip(grads)
	o.moved = o.moved[:0]
	for i, s := range o.slots {
		if i == 0 && o.rows != nil {
			s = o.taken()
		}
		o.move(s, grads[i], scale, rate)
	}
	mat.AdamAll(o.moved, mat.AdamConfig{Rate: mat.Real(rate), Beta1: 0.9, Beta2: 0.999, Eps: 1e-8,
		Decoupled: o.Rule == ruleAdamW}, o.Steps)
	if o.rows != nil {
		o.putBack()
	}
}

// taken returns a copy of the rows of the first parameter that move.
func (o *Optimizer) taken() slot {
	s := o.slots[0]
	mat.Gather(o.part.w, s.w, o.rows)
	for j, m := range s.memory {
		mat.Gather(o.part.memory[j], m, o.rows)
	}
	return o.part
}

// putBack writes the copy to where it was taken from.
func (o *Optimizer) putBack() {
	s := o.slots[0]
	mat.Scatter(s.w, o.part.w, o.rows)
	for j, m := range s.memory {
		mat.Scatter(m, o.part.memory[j], o.rows)
	}
}

// clip returns the factor, at most 1, that brings the norm of all gradients together down to Clip.
func (o *Optimizer) clip(grads []*mat.Dense) float64 {
	if o.Clip == 0 {
		return 1
	}
	for i, g := range grads {
		mat.Dot(o.dot, g, g)
		mat.CopyCols(o.dots, o.dot, i, 0, 1)
	}
	o.dots.Read(o.sums)
	sum := 0.0
	for _, s := range o.sums {
		sum += float64(s)
	}
	return min(1, o.Clip/math.Sqrt(max(sum, math.SmallestNonzeroFloat64)))
}

// move moves one parameter, or, for Adam, notes that it is to be moved.
func (o *Optimizer) move(s slot, g *mat.Dense, scale, rate float64) {
	if s.grad != nil {
		mat.Affine(s.grad, g, mat.Real(scale), 0)
		g = s.grad
	}
	if s.decay != 0 && (o.Rule == ruleSGD || o.Rule == ruleAdagrad) {
		mat.Axpby(g, g, s.w, 1, mat.Real(s.decay))
	}
	switch o.Rule {
	case ruleSGD:
		if len(s.memory) > 0 {
			mat.Axpby(s.memory[0], g, s.memory[0], 1, mat.Real(o.Momentum))
			g = s.memory[0]
		}
		mat.Axpby(s.w, s.w, g, 1, mat.Real(-rate))
	case ruleAdagrad:
		adagrad(s, g, rate)
	default:
		o.moved = append(o.moved, mat.Moved{W: s.w, M: s.memory[0], V: s.memory[1], Grad: g, Decay: mat.Real(s.decay)})
	}
}

// adagrad is s ← s + g², w ← w − rate·g/√(s + ε). ε is there for s = 0 alone: embeddings that start near 0 have
// gradients of 1e-9 at first.
func adagrad(s slot, g *mat.Dense, rate float64) {
	const eps = 1e-20
	mat.Mul(s.memory[0], g, g, 1, true)
	mat.Affine(s.room, s.memory[0], 1, eps)
	mat.Map(s.room, s.room, "sqrt", 0, 0)
	mat.Map(s.room, s.room, "recip", 0, 0)
	mat.Mul(s.room, s.room, g, 1, false)
	mat.Axpby(s.w, s.w, s.room, 1, mat.Real(-rate))
}
