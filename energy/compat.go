package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Compat is the compatibility term of heterophilic graphs (eq:huber_energy2), times the weight of the edge:
//
//	f(h_u, h_v) = λ ρ(h_u C − h_v)
//
// with a trained C, d×d: neighbours need not be equal, but one must predict the other. With
// ρ = HalfSquared it is λ/2 ‖h_u C − h_v‖². It tells u from v: on undirected edges use Both.
//
// Deviation: the main text has λ‖h_u C − h_v‖² without the half; the half makes λ mean the same as in
// Laplace, and ρ = Squared is the text's form.
type Compat struct {
	Rho    Penalty // the zero value is HalfSquared
	Lambda Weight
	C      *ad.Param
}

var (
	_ FusedEdges     = Compat{}
	_ MajorizedEdges = Compat{}
)

// NewCompat is λ/2 ‖h_u C − h_v‖² for rows of d numbers with λ = 1, C starting as the identity.
func NewCompat(d int) Compat {
	return Compat{Rho: HalfSquared, Lambda: Fixed(1), C: ad.NewParam("C", mat.Eye(d))}
}

// Edge is f per edge.
func (t Compat) Edge(e Edges) ad.Var {
	z := e.U.MatMul(t.C.Var).Sub(e.V)
	return e.weigh(t.Rho.orHalfSquared().Rows(z)).Mul(t.Lambda.Var())
}

// Params are C and those of λ.
func (t Compat) Params() []*ad.Param { return append(t.Lambda.Params(), t.C) }

// Name says which penalty.
func (t Compat) Name() string { return "Compat " + t.Rho.orHalfSquared().String() }

// EdgeGrad is, for quadratic ρ and with A by target,
//
//	λ( D_out H C Cᵀ + D_in H − Aᵀ H Cᵀ − A H C )
//
// and for others the derivative of the sum with h C taken once per node.
func (t Compat) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	rho, c := t.Rho.orHalfSquared(), t.C.Var
	hc := h.MatMul(c)
	scale, ok := rho.quadratic()
	if !ok {
		e := Edges{On: on}
		z := hc.Gather(on.Source()).Sub(h.Gather(on.Target()))
		return ad.Grad(e.weigh(rho.Rows(z)).Mul(t.Lambda.Var()).Sum(), h)[0]
	}
	a := on.Oriented()
	toSource := hc.Mul(on.OutDegree()).Sub(a.MulT(h)).MatMulT(c)
	toTarget := h.Mul(on.InDegree()).Sub(a.Mul(hc))
	return toSource.Add(toTarget).Mul(t.Lambda.Var().Scale(scale))
}

// bothGrad is, for quadratic ρ and every edge both ways, λ( D H (C Cᵀ + I) − A H (C + Cᵀ) ): two products
// with C alone, λ being folded into it.
func (t Compat) bothGrad(on *Structure, h ad.Var) ad.Var {
	scale, ok := t.Rho.orHalfSquared().quadratic()
	if !ok {
		return ad.Var{}
	}
	c, lambda := t.C.Var, t.Lambda.Var().Scale(scale)
	gram := c.MatMulT(c).Add(ad.Eye(c.Rows())).Mul(lambda)
	sum := c.Add(c.T()).Mul(lambda)
	return h.MatMul(gram).Mul(on.Ends()).Sub(on.endMessages(h.MatMul(sum)))
}

// EdgeCurvature: ‖aC − b‖² ≤ 2c²‖a‖² + 2‖b‖² with c = ‖C‖₂, so 2λ sup ρ″ (D_in + c² D_out).
func (t Compat) EdgeCurvature(on *Structure) ad.Var {
	d := on.OutDegree().Mul(spectralSquare(t.C.Var)).Add(on.InDegree())
	return d.Scale(2 * t.Rho.orHalfSquared().Curv).Mul(t.Lambda.Var())
}

// Uncoupled is λ sup ρ″ D_in, that of C = 0.
func (t Compat) Uncoupled(on *Structure) ad.Var {
	return on.InDegree().Scale(t.Rho.orHalfSquared().Curv).Mul(t.Lambda.Var())
}
