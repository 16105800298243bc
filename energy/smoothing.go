package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Laplace is the base edge term (eq:quad_example_energy), symmetric and convex:
//
//	f(h_u, h_v) = λ/2 ‖h_u − h_v‖²                      norm: graph.None
//	f(h_u, h_v) = λ/2 ‖h_u/√d_u − h_v/√d_v‖²            norm: graph.Symmetric
//
// times the weight of the edge. Summed over E it is λ/2 tr(Hᵀ(D − A)H), or λ/2 tr(Hᵀ(I − S)H). It is a SmoothingEdges.
func Laplace(lambda Weight, norm graph.Norm) EdgeTerm { return laplace{lambda, norm} }

type laplace struct {
	lambda Weight
	norm   graph.Norm
}

var (
	_ FusedEdges     = laplace{}
	_ MajorizedEdges = laplace{}
	_ SmoothingEdges = laplace{}
)

func (t laplace) Params() []*ad.Param                         { return t.lambda.Params() }
func (t laplace) Smoothing() (lambda ad.Var, norm graph.Norm) { return t.lambda.Var(), t.norm }
func (laplace) Quadratic() bool                               { return true }
func (laplace) even() bool                                    { return true }

func (t laplace) Edge(e Edges) ad.Var {
	u, v := e.U, e.V
	if t.norm == graph.Symmetric {
		root := e.On.RootDegree() // 0 where all edges weigh nothing
		u, v = u.Mul(root.Gather(e.end(true))), v.Mul(root.Gather(e.end(false)))
	}
	return e.weigh(HalfSquared.Rows(u.Sub(v))).Mul(t.lambda.Var())
}

// EdgeGrad returns λ(D − A)h, or λ(I − S)h with isolated nodes left out.
func (t laplace) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	if t.norm == graph.None {
		return h.Mul(on.Degree()).Sub(on.Messages(h)).Mul(t.lambda.Var())
	}
	scale := on.RootDegree()
	z := h.Mul(scale)
	return z.Mul(on.Degree()).Sub(on.Messages(z)).Mul(scale).Mul(t.lambda.Var())
}

// EdgeCurvature: D − A ⪯ 2D, and I − S ⪯ 2I.
func (t laplace) EdgeCurvature(on *Structure) ad.Var {
	d := on.Degree()
	if t.norm == graph.Symmetric {
		d = d.Mul(on.RootDegree().Square()) // 1, or 0 for isolated nodes
	}
	return d.Scale(2).Mul(t.lambda.Var())
}

// Difference is any penalty on the difference of the ends of an edge, times the weight of the edge:
//
//	f(h_u, h_v) = λ ρ(h_u − h_v)
//
// The paper's robust edges (λ/2) δ(h_u − h_v) are ρ = Huber(1) with λ/2 instead of λ; Laplace is ρ = HalfSquared, which
// is also what the zero Penalty means.
func Difference(rho Penalty, lambda Weight) EdgeTerm { return difference{penalized(rho, lambda)} }

type difference struct{ residual }

var (
	_ FusedEdges     = difference{}
	_ MajorizedEdges = difference{}
)

func (t difference) Edge(e Edges) ad.Var { return t.weighted(e, e.U.Sub(e.V)) }
func (t difference) Params() []*ad.Param { return t.lambda.Params() }
func (t difference) Name() string        { return "Difference " + t.rho.String() }

// WithPenalty is the same term with another ρ.
func (t difference) WithPenalty(rho Penalty) EdgeTerm { return Difference(rho, t.lambda) }

// EdgeGrad returns λc(D − A)h for quadratic ρ, and λ Bᵀ(w∘ρ′(B h)) for others: still one row per edge, but
// written once in place of four times.
func (t difference) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	c, ok := t.rho.quadratic()
	if !ok {
		b := on.incident()
		z := b.mul(h)
		return b.mulT(ad.Grad(t.weighted(Edges{On: on}, z).Sum(), z)[0])
	}
	return laplace{t.lambda, graph.None}.EdgeGrad(on, h).Scale(c)
}

// even: the penalties that have a fused step are.
func (t difference) even() bool { return t.rho.fuse }

// EdgeCurvature: Bᵀ diag(ρ″) B ⪯ sup ρ″ (D − A) ⪯ 2 sup ρ″ D.
func (t difference) EdgeCurvature(on *Structure) ad.Var {
	return on.Degree().Scale(2 * t.rho.Curv).Mul(t.lambda.Var())
}

// residual is the common part of terms λ ρ(z), where z is a residual per edge.
type residual struct {
	rho    Penalty
	lambda Weight
}

// penalized is HalfSquared for the zero Penalty.
func penalized(rho Penalty, lambda Weight) residual {
	if rho.Rho == nil {
		rho = HalfSquared
	}
	return residual{rho, lambda}
}

// weighted returns λ ρ(z) times the weights of edges, m×1.
func (t residual) weighted(e Edges, z ad.Var) ad.Var {
	return e.weigh(t.rho.Rows(z)).Mul(t.lambda.Var())
}

func (t residual) Quadratic() bool {
	_, ok := t.rho.quadratic()
	return ok
}

// quadratic reports whether ρ is a multiple c of HalfSquared.
func (p Penalty) quadratic() (c float64, ok bool) {
	return p.half, p.fuse && p.phi.Phi == mat.PhiSquare
}
