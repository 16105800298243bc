package descent

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Certify checks, while a and l are trained, whether the bound of the energy, which follows the parameters, still
// allows a Fixed γ. It returns a *StepTooLong if it does not. It is nil if γ is not Fixed, where nothing is known about
// it, and where every bound allows it: with Degree it is γ·Lip ≤ 2γ.
func Certify(a Algorithm, l *energy.Lower) func() error {
	if r, ok := a.(ruled); ok {
		return r.rule(l).certify(l)
	}
	return nil
}

func (r rule) certify(l *energy.Lower) func() error {
	if r.Gamma == nil {
		r.Gamma = Fixed(1)
	}
	gamma, ok := r.Gamma.(fixed)
	_, jacobi := unheld(r.Sigma).(degree)
	if !ok || r.most == 0 || !isStatic(r.Sigma) || jacobi && float64(gamma) <= r.most/2 {
		return nil
	}
	unit, err := unitStep(l, sigmaOf(r.Sigma, l, ad.Var{}))
	if err != nil {
		return nil // nothing is known against it
	}
	prog := ad.Compile(unit)
	return func() error {
		if err := prog.Run(); err != nil {
			return fmt.Errorf("descent: bound of the step size: %w", err)
		}
		longest := r.most * float64(prog.Value(unit).Item())
		if float64(gamma) > longest*(1+1e-5) { // the bound itself is rounded
			return &StepTooLong{Gamma: float64(gamma), Limit: longest}
		}
		return nil
	}
}

// rule is what a fixed γ must satisfy: γ·Lip ≤ most if there is a bound Lip on the curvature, seen through σ; a most of
// 0 means no condition.
type rule struct {
	paced
	most float64
	err  error // of the algorithm's other numbers
}

// ruled is an Algorithm with a rule.
type ruled interface {
	rule(l *energy.Lower) rule
}

// check is Check for a step size and a preconditioner.
func (r rule) check(l *energy.Lower) error {
	if r.err != nil {
		return r.err
	}
	for _, part := range []any{r.Gamma, r.Sigma} {
		if err := Check(part, l); err != nil {
			return err
		}
	}
	if _, couples := l.Eta.(energy.Coupling); couples && !uniform(r.Sigma) {
		return &Unsuitable{energy.NameOf(l.Eta), "one step size for all nodes, and σ is " + energy.NameOf(r.Sigma)}
	}
	if certified := r.certify(l); certified != nil {
		return certified()
	}
	return nil
}
