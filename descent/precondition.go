package descent

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Degree is Jacobi's preconditioner σ_v = 1/M_v. With ∇²κ ⪯ diag(k) and ∇²f ⪯ diag(q), from the terms,
//
//	M = k + q/2
//
// For the base energy that is 1 + λd_v. Then ∇² ⪯ 2M, so every γ ∈ (0, 1] descends where η is convex, and
// every γ ∈ (0, 1/2] where it is not (docs/energies.md, sections 4.1 and 9). Derivatives pass through M, to λ, C and
// whatever else the bounds depend on.
//
// A node whose M is 0 has no gradient either; M is then flattest, to stay finite.
var Degree Preconditioner = degree{}

type degree struct{}

func (d degree) Sigma(l *energy.Lower, _ ad.Var) ad.Var {
	m, err := l.Curvature() // k + q
	must(explain(err))
	for _, k := range l.Kappa {
		m = m.Add(k.(energy.MajorizedNodes).NodeCurvature(l.On))
	}
	return jacobi(m, ad.Fill(m.Shape(), flattest))
}

// flattest is the smallest M allowed.
const flattest = 1e-12

// jacobi returns 1/M of rows with 2M = q + 2k, at least flattest.
func jacobi[N arithmetic[N]](twice, least N) N { return twice.Scale(0.5).Max(least).Recip() }

func (degree) static() {}

// Check refuses an energy with a term without a bound; the error holds an *energy.NoBound.
func (degree) Check(l *energy.Lower) error {
	_, err := l.Curvature()
	return explain(err)
}

func explain(err error) error {
	if err != nil {
		return fmt.Errorf("descent: Degree: %w", err)
	}
	return nil
}

// InverseDegree is σ_v = 1/d_v: D⁻¹, which turns the step into a mean over neighbours as λγ → 1 (eq:LP_update_general).
// A node without edges has σ = 0 and stays as it is.
var InverseDegree Preconditioner = inverseDegree{}

type inverseDegree struct{}

func (inverseDegree) Sigma(l *energy.Lower, _ ad.Var) ad.Var { return l.On.RootDegree().Square() }
func (inverseDegree) static()                                {}

func (degree) Text() string {
	return "σ_v = 1/(k_v + q_v/2), k and q bounding the curvature of κ and f"
}

func (inverseDegree) Text() string { return "σ_v = 1/d_v, d the degree" }

// OneSided is the preconditioner of HALO's code, σ_v = 1/(k + λ d_v), with d_v the edges at v, an edge with its inverse
// counted once, and ∇²κ ⪯ k. It does not see the norms of C or C_r, so no γ is safe for all of them; Degree is the safe
// choice.
var OneSided Preconditioner = oneSided{}

type oneSided struct{}

func (s oneSided) Sigma(l *energy.Lower, _ ad.Var) ad.Var {
	must(s.Check(l))
	f, _ := one[energy.UncoupledEdges](l.F)
	m := f.Uncoupled(l.On)
	for _, k := range l.Kappa {
		m = m.Add(k.(energy.MajorizedNodes).NodeCurvature(l.On))
	}
	return m.Recip()
}

func (oneSided) static() {}

// Check asks for a single edge term, with trained matrices, and for node terms with a bound, one of them at least.
func (oneSided) Check(l *energy.Lower) error {
	f, ok := one[energy.UncoupledEdges](l.F)
	ok = ok && !f.Uncoupled(l.On).IsZero()
	for _, k := range l.Kappa {
		m, majorized := k.(energy.MajorizedNodes)
		ok = ok && majorized && !m.NodeCurvature(l.On).IsZero()
	}
	if !ok || len(l.Kappa) == 0 {
		return &Unsuitable{"OneSided", "one edge term, Compat or Relational, and node terms with bounded curvature"}
	}
	return nil
}

func (oneSided) Text() string {
	return "σ_v = 1/(k + λ d_v), d the edges out of v, k bounding the curvature of κ"
}
