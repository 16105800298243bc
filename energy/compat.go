package energy

import "github.com/bloomgml/bloom/ad"

// Compat is the compatibility term of heterophilic graphs (eq:huber_energy2), times the weight of the edge:
//
//	f(h_u, h_v) = λ ρ(h_u C − h_v)
//
// with a trained C, d×d: neighbours need not be equal, but one must predict the other. With
// ρ = HalfSquared it is λ/2 ‖h_u C − h_v‖². It tells u from v: on undirected edges use Both.
//
// Deviation: the main text has λ‖h_u C − h_v‖² without the half; the half makes λ mean the same as in
// Laplace, and ρ = Squared is the text's form.
//
// The zero Penalty means HalfSquared.
func Compat(rho Penalty, lambda Weight, c *ad.Param) EdgeTerm {
	return compat{penalized(rho, lambda), c}
}

type compat struct {
	residual
	c *ad.Param
}

var (
	_ FusedEdges     = compat{}
	_ MajorizedEdges = compat{}
)

func (t compat) Edge(e Edges) ad.Var { return t.weighted(e, e.U.MatMul(t.c.Var).Sub(e.V)) }
func (t compat) Params() []*ad.Param { return append(t.lambda.Params(), t.c) }
func (t compat) Name() string        { return "Compat " + t.rho.String() }

// EdgeGrad is, for quadratic ρ and with A by target,
//
//	λ( D_out H C Cᵀ + D_in H − Aᵀ H Cᵀ − A H C )
//
// and for others the derivative of the sum with h C taken once per node.
func (t compat) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	c := t.c.Var
	hc := h.MatMul(c)
	scale, ok := t.rho.quadratic()
	if !ok {
		z := hc.Gather(on.Source()).Sub(h.Gather(on.Target()))
		return ad.Grad(t.weighted(Edges{On: on}, z).Sum(), h)[0]
	}
	a := on.byTarget()
	toSource := hc.Mul(on.outdegree()).Sub(a.mulT(h)).MatMulT(c)
	toTarget := h.Mul(on.indegree()).Sub(a.mul(hc))
	return toSource.Add(toTarget).Mul(t.lambda.Var().Scale(scale))
}

// bothGrad is, for quadratic ρ and every edge both ways, λ( D H (C Cᵀ + I) − A H (C + Cᵀ) ): two products
// with C alone, λ being folded into it.
func (t compat) bothGrad(on *Structure, h ad.Var) ad.Var {
	scale, ok := t.rho.quadratic()
	if !ok {
		return ad.Var{}
	}
	c, lambda := t.c.Var, t.lambda.Var().Scale(scale)
	gram := c.MatMulT(c).Add(ad.Eye(c.Rows())).Mul(lambda)
	sum := c.Add(c.T()).Mul(lambda)
	return h.MatMul(gram).Mul(on.endCount()).Sub(on.endMessages(h.MatMul(sum)))
}

// EdgeCurvature: ‖aC − b‖² ≤ 2c²‖a‖² + 2‖b‖² with c = ‖C‖₂, so 2λ sup ρ″ (D_in + c² D_out).
func (t compat) EdgeCurvature(on *Structure) ad.Var {
	d := on.outdegree().Mul(spectralSquare(t.c.Var)).Add(on.indegree())
	return d.Scale(2 * t.rho.Curv).Mul(t.lambda.Var())
}

// Uncoupled returns λ sup ρ″ D_in, the curvature for C = 0.
func (t compat) Uncoupled(on *Structure) ad.Var {
	return on.indegree().Scale(t.rho.Curv).Mul(t.lambda.Var())
}
