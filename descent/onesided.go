package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

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
