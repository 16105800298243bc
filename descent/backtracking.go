package descent

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Backtracking returns the step size γ = start·shrinkᵏ with the smallest k for which the plain step does not raise the
// energy, η included:
//
//	ℓ( prox_{η, γσ}(h − γσ∇) ) ≤ ℓ(h)
//
// It needs no bound, so it works for every energy (docs/energies.md, section 2). A rise within rounding of the sum, 8
// units of it, does not count. If no k < most will do, Run returns an error with the numbers. Between parameters at
// which k jumps, γ is constant and its derivative is 0. A start of 0 means 1, a shrink of 0 means 1/2, and most of 0
// means 30.
//
// Algorithms with memory (Momentum, Nesterov, Adam) use the γ of the plain step from the same point, which promises
// nothing about the step they take.
//
// Every layer keeps the memory of one energy; with η, whose value is not an expression, a run allocates.
func Backtracking(start, shrink float64, most int) StepSize { return backtracking{start, shrink, most} }

type backtracking struct {
	Start, Shrink float64
	Max           int
}

// Check refuses numbers out of range.
func (b backtracking) Check(*energy.Lower) error {
	b = b.filled()
	if !(b.Start > 0 && b.Shrink > 0 && b.Shrink < 1 && b.Max > 0) {
		return fmt.Errorf("descent: Backtracking from %v by %v, %d times: the first must be above 0, "+
			"the second between 0 and 1",
			b.Start, b.Shrink, b.Max)
	}
	return nil
}

func (b backtracking) filled() backtracking {
	return backtracking{cmp.Or(b.Start, 1), cmp.Or(b.Shrink, 0.5), cmp.Or(b.Max, 30)}
}

// Gamma returns γ at s, by an operation that runs the energy at trial points.
func (b backtracking) Gamma(l *energy.Lower, sigma ad.Var, s State) ad.Var {
	must(b.Check(l))
	t := &trials{rule: b.filled(), layer: s.Layer + 1, lower: *l}
	in := []ad.Var{t.input(&t.h, s.H), t.input(&t.grad, l.Grad(s.H)), t.input(&t.sigma, sigma)}
	if !l.Pi.IsZero() {
		in = append(in, t.input(&t.lower.Pi, l.Pi))
	}
	if w := l.On.EdgeWeight(); !w.IsZero() && !w.Fixed() {
		var own ad.Var
		in = append(in, t.input(&own, w))
		t.lower.On = l.On.Reweighted(own)
	}
	return ad.Apply(t, in...)[0]
}

// trials is the search for γ. Inputs: h, ∇, σ, then π and the edge weights where they are computed, which must not be
// computed again for every trial.
type trials struct {
	rule  backtracking
	layer int
	lower energy.Lower // on inputs of its own

	h, grad, sigma ad.Var
	inputs         []*mat.Dense // what these read

	mu            sync.Mutex // two programs may hold the same operation
	here, there   *ad.Program
	start, energy ad.Var // ℓ without η at h and at the trial point
	point         ad.Var // the trial point
	gamma         *mat.Dense
}

// input makes v read a matrix of this operation, and returns from, which fills it.
func (t *trials) input(v *ad.Var, from ad.Var) ad.Var {
	m := mat.New(from.Rows(), from.Cols())
	t.inputs = append(t.inputs, m)
	*v = ad.Input(m)
	return from
}

func (*trials) Name() string                   { return "backtracking" }
func (*trials) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{{Rows: 1, Cols: 1}} }

// VJP returns no derivatives: γ is a constant.
func (*trials) VJP(in, _, _ []ad.Var) []ad.Var { return make([]ad.Var, len(in)) }

// Eval panics if TryEval would return an error.
func (t *trials) Eval(out, in []*mat.Dense) { must(t.TryEval(out, in)) }

// compile plans the energy at h and at the trial point.
func (t *trials) compile() {
	if t.here != nil {
		return
	}
	t.gamma = mat.New(1, 1)
	l := &t.lower
	rate := t.sigma.Mul(ad.Input(t.gamma))
	t.point = l.Prox(t.h.Sub(t.grad.Mul(rate)), rate)
	t.start, t.energy = l.Smooth(t.h), l.Smooth(t.point)
	t.here, t.there = ad.Compile(t.start), ad.Compile(t.energy, t.point)
}

func (t *trials) TryEval(out, in []*mat.Dense) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.compile()
	for i, m := range in {
		mat.Copy(t.inputs[i], m)
	}
	if err := t.here.Run(); err != nil {
		return err
	}
	smooth := float64(t.here.Value(t.start).Item())
	if math.IsNaN(smooth) || math.IsInf(smooth, 0) {
		return diverged(&t.lower, t.inputs[0], t.layer-1)
	}
	from := smooth + t.eta(t.inputs[0])
	limit := from + 8*epsilon()*math.Abs(from)
	gamma, to := t.rule.Start, math.NaN()
	for range t.rule.Max {
		mat.Fill(t.gamma, mat.Real(gamma))
		if err := t.there.Run(); err != nil {
			return err
		}
		to = float64(t.there.Value(t.energy).Item()) + t.eta(t.there.Value(t.point))
		if to <= limit && !math.IsInf(to, 0) {
			mat.Fill(out[0], mat.Real(gamma))
			return nil
		}
		gamma *= t.rule.Shrink
	}
	return &noDescent{Layer: t.layer, Energy: from, Gamma: gamma / t.rule.Shrink, Trial: to, Tries: t.rule.Max}
}

// eta returns the value of η.
func (t *trials) eta(h *mat.Dense) float64 {
	if t.lower.Eta == nil {
		return 0
	}
	return t.lower.Eta.Value(h)
}

// epsilon returns the unit of rounding of a Real.
func epsilon() float64 {
	one, little := mat.Real(1), mat.Real(0x1p-40)
	if one+little != one {
		return 0x1p-52
	}
	return 0x1p-23
}

func (b backtracking) Text() string {
	return fmt.Sprintf("γ by backtracking from %g", cmp.Or(b.Start, 1))
}
