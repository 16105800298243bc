package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Separable is a descent whose steps treat all columns of H alike and independently, so all steps can run as one
// operation:
//
//	h ← prox( a∘h + b∘(S h) + c∘φ(h − p) )
//
// a, b and c hold one number per node, and prox is max(0, ·) or nothing.
type Separable struct {
	S     *mat.Sparse
	Val   ad.Var // the values of S, one per entry; absent if all are 1
	P     ad.Var // what κ pulls to, n×d
	Coefs ad.StepCoefs
	Kind  mat.StepKind
	Turn  energy.Turn // rows are turned before the steps and back after them; nil if they are not
}

// Run is H after the given number of steps from h0, as one operation between turning and turning back.
func (p Separable) Run(h0 ad.Var, steps int) ad.Var {
	if p.Turn == nil {
		return ad.Descend(p.S, p.Val, h0, p.P, p.Coefs, steps, p.Kind)
	}
	if steps == 0 {
		return h0 // there and back would round it
	}
	start, to := p.Turn.There(h0), p.Turn.There(p.P)
	if h0 == p.P {
		start = to
	}
	return p.Turn.Back(ad.Descend(p.S, p.Val, start, to, p.Coefs, steps, p.Kind))
}

// Linear reports whether a step is linear in (h, p) and the same for all columns, so it commutes with a linear head.
func (p Separable) Linear() bool {
	return p.Turn == nil && p.Kind.Phi == mat.PhiSquare && !p.Kind.NonNeg
}

// Plan returns a on l as a Separable, if it is one: Proximal steps with γ and σ that do not look at H, one Laplace term
// on an undirected graph, no whole term, one κ that pulls to a point by a penalty with a fused derivative, or several
// that are quadratic, and no η but h ≥ 0. With κ′ = wφ(h − p) and the rate r = γσ,
//
//	h − r(λ(Dh − Ah) + wφ(h − p)):    a = 1 − rλd,  b = rλ,  c = −rw,  S = A
//
// and for the symmetric normalisation d = 1 where there are edges, S = D^−½AD^−½. The result equals the steps one
// by one, up to rounding.
//
// A Laplace term of turned rows is one too, where κ is quadratic and η nothing: neither notices that rows are turned.
func Plan(l *energy.Lower, a Algorithm) (p Separable, ok bool) {
	prox, ok := a.(proximal)
	f, turn, oneEdge := smoothing(l)
	if !ok || !oneEdge || !isStatic(prox.Gamma) || !isStatic(prox.Sigma) || !l.On.Graph.Undirected() {
		return Separable{}, false
	}
	pull, ok := pullOf(l)
	lambda, norm := f.Smoothing()
	if !ok || (norm != graph.None && norm != graph.Symmetric) {
		return Separable{}, false
	}
	if !pull.constrain(l.Eta) || turn != nil && (pull.kind.Phi != mat.PhiSquare || pull.kind.NonNeg) {
		return Separable{}, false
	}
	column := mat.Shape{Rows: l.On.Graph.NumNodes(), Cols: 1}
	rate := prox.at(l, State{}).rate
	s, val, d := messages(l.On, norm)
	p = Separable{S: s, Val: val, P: pull.to, Kind: pull.kind, Turn: turn}
	p.Coefs.A, p.Coefs.B, p.Coefs.C = coefs(rate, lambda, pull.weight, d, column)
	return p, true
}

// smoothing returns the only f as Laplace, of rows that are turned where it is a TurnedEdges that has them.
func smoothing(l *energy.Lower) (f energy.SmoothingEdges, turn energy.Turn, ok bool) {
	if t, ok := one[energy.TurnedEdges](l.F); ok {
		f, turn = t.Turned()
		return f, turn, turn != nil
	}
	f, ok = one[energy.SmoothingEdges](l.F)
	return f, nil, ok
}

// messages returns S with its values, and d.
func messages(on *energy.Structure, norm graph.Norm) (s *mat.Sparse, val, d ad.Var) {
	s, own := on.Adjacency()
	d = on.Degree()
	if norm == graph.None {
		return s, own, d
	}
	root := on.RootDegree()
	val = ad.SampledDot(s, root, root)
	if !own.IsZero() {
		val = val.Mul(own)
	}
	return s, val, d.Mul(root.Square())
}

// pull is κ′ = wφ(h − to).
type pull struct {
	to, weight ad.Var
	kind       mat.StepKind
}

// constrain adds η to the step and reports whether it has a fused prox.
func (p *pull) constrain(eta energy.Constraint) bool {
	p.kind.NonNeg = eta == energy.NonNegative
	return eta == nil || p.kind.NonNeg
}

// pullOf returns the derivative of κ, if it has that form. κ must have a single term, or several that are all
// quadratic, the first without a weight,
//
//	Σ w_i (h − t_i) = w (h − to)    w = Σ w_i,  to = Σ w_i t_i / w
func pullOf(l *energy.Lower) (pull, bool) {
	if len(l.Whole) > 0 || len(l.Kappa) == 0 {
		return pull{}, false
	}
	all, weighed, ok := pullBy(l.Kappa[0], l.Pi)
	for _, k := range l.Kappa[1:] {
		p, _, square := pullBy(k, l.Pi)
		if !ok || !square || weighed || all.kind.Phi != mat.PhiSquare || p.kind.Phi != mat.PhiSquare {
			return pull{}, false
		}
		sum := all.weight.Add(p.weight)
		all.to = all.to.Mul(all.weight.Div(sum)).Add(p.to.Mul(p.weight.Div(sum)))
		all.weight = sum
	}
	return all, ok
}

// pullBy returns the derivative of one term, if it has that form, and whether the term has a weight of its own.
func pullBy(k energy.NodeTerm, pi ad.Var) (p pull, weighed, ok bool) {
	of, ok := k.(energy.PullingNodes)
	if !ok {
		return pull{}, false, false
	}
	rho, to, weight := of.Pull(pi)
	kind, factor, ok := rho.Step()
	if weighed = !weight.IsZero(); !weighed {
		weight = ad.Number(1)
	}
	return pull{to, weight.Scale(factor), kind}, weighed, ok && !to.IsZero()
}
