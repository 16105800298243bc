package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Difference is any penalty on the difference of the ends of an edge, times the weight of the edge:
//
//	f(h_u, h_v) = λ ρ(h_u − h_v)
//
// The paper's robust edges (λ/2) δ(h_u − h_v) are ρ = Huber(1) with λ/2 in the place of λ; Laplace is
// ρ = HalfSquared.
type Difference struct {
	Rho    Penalty // the zero value is HalfSquared
	Lambda Weight
}

var (
	_ FusedEdges     = Difference{}
	_ MajorizedEdges = Difference{}
)

// orHalfSquared is p, or HalfSquared for the zero value.
func (p Penalty) orHalfSquared() Penalty {
	if p.Rho == nil {
		return HalfSquared
	}
	return p
}

// quadratic reports whether ρ is a multiple c of HalfSquared.
func (p Penalty) quadratic() (c float64, ok bool) {
	return p.half, p.fuse && p.phi.Phi == mat.PhiSquare
}

// Edge is f per edge.
func (t Difference) Edge(e Edges) ad.Var {
	return e.weigh(t.Rho.orHalfSquared().Rows(e.U.Sub(e.V))).Mul(t.Lambda.Var())
}

// Params is θ of a trained λ.
func (t Difference) Params() []*ad.Param { return t.Lambda.Params() }

// Name says which penalty.
func (t Difference) Name() string { return "Difference " + t.Rho.orHalfSquared().String() }

// EdgeGrad is λc(D − A)h for quadratic ρ, and λ Bᵀ(w∘ρ′(B h)) for others: still one row per edge, but
// written once in place of four times.
func (t Difference) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	rho := t.Rho.orHalfSquared()
	c, ok := rho.quadratic()
	if !ok {
		b, e := on.Incidence(), Edges{On: on}
		z := b.Mul(h)
		return b.MulT(ad.Grad(e.weigh(rho.Rows(z)).Mul(t.Lambda.Var()).Sum(), z)[0])
	}
	return Laplace{t.Lambda, graph.None}.EdgeGrad(on, h).Scale(c)
}

// even: the penalties that have a fused step are.
func (t Difference) even() bool { return t.Rho.orHalfSquared().fuse }

// EdgeCurvature: Bᵀ diag(ρ″) B ⪯ sup ρ″ (D − A) ⪯ 2 sup ρ″ D.
func (t Difference) EdgeCurvature(on *Structure) ad.Var {
	return on.Degree().Scale(2 * t.Rho.orHalfSquared().Curv).Mul(t.Lambda.Var())
}
