package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// TWIRLS computes what the published code of TWIRLS computes for the base energy, for comparison with its results:
//
//	H ← prox( (1−γ)H + γλ D̃^−½ (A+I) D̃^−½ H + γ D̃⁻¹ π ),   D̃ = λD + I
//
// Deviation: it is not a descent on that energy. It works in the variable D̃^½H, yet π enters as if it did not, and the
// self loop in A+I is not in D̃; its fixed point is singular at λ = 1 and indefinite beyond (docs/energies.md, section
// 4.1). Proximal with Degree is the sound form.
func TWIRLS(gamma StepSize) Algorithm { return twirls{gamma} }

type twirls struct {
	Gamma StepSize `key:"gamma"` // nil means Fixed(1)
}

func (a twirls) Start(h0 ad.Var) State { return State{H: h0} }

func (a twirls) Step(l *energy.Lower, s State) State {
	must(a.Check(l))
	lambda, _ := l.F[0].(energy.SmoothingEdges).Smoothing()
	d := l.On.Degree().Mul(lambda).Shift(1)
	gamma := ad.Number(1)
	if a.Gamma != nil {
		gamma = a.Gamma.Gamma(l, ad.Number(1), s)
	}
	root := d.Sqrt().Recip()
	z := s.H.Mul(root)
	smooth := l.On.Messages(z).Add(z).Mul(root).Mul(lambda)
	to := smooth.Add(l.Pi.Mul(d.Recip())).Sub(s.H)
	return State{H: l.Prox(s.H.Add(to.Mul(gamma)), gamma.Mul(d.Recip())), Layer: s.Layer + 1}
}

func (a twirls) Check(l *energy.Lower) error {
	if !isBase(l) {
		return &Unsuitable{"TWIRLS", "exactly the base energy: Laplace, not normalised, and Anchor with HalfSquared"}
	}
	return rule{paced{a.Gamma, nil}, 0, nil}.check(l)
}

// isBase reports whether l is λ/2 Σ ‖h_u − h_v‖² + ½ Σ ‖h_v − π_v‖².
func isBase(l *energy.Lower) bool {
	f, ok := one[energy.SmoothingEdges](l.F)
	k, ok2 := one[energy.PullingNodes](l.Kappa)
	if !ok || !ok2 || l.Pi.IsZero() {
		return false
	}
	_, norm := f.Smoothing()
	rho, to, weight := k.Pull(l.Pi)
	return norm == graph.None && rho.Name == energy.HalfSquared.Name && to == l.Pi && weight.IsZero()
}

// one returns the only term of a list, if it is a T.
func one[T, I any](terms []I) (t T, ok bool) {
	if len(terms) != 1 {
		return t, false
	}
	t, ok = any(terms[0]).(T)
	return t, ok
}

func (twirls) Name() string                       { return "TWIRLS" }
func (a twirls) Pace() (StepSize, Preconditioner) { return a.Gamma, nil }

func (a twirls) Text(string) Text {
	return Text{"TWIRLS, not a descent on this energy",
		[]string{"h_v ← (1−γ) h_v + γ λ row v of D̃^−½ (A+I) D̃^−½ H + γ π_v/D̃_v"}, []string{"D̃ = λD + I"}}
}
