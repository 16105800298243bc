package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Relational is the compatibility term of heterogeneous graphs, HALO's, times the weight of the edge:
//
//	f(h_u, h_v; r) = λ ρ(h_u C_r − h_v)
//
// with a trained C_r, d×d, for every relation. HALO sums over relations and their inverses, each with its own matrix:
// the graph comes from WithInverse. c is |R|d×d, a stack of the C_r; the zero Penalty means HalfSquared.
func Relational(rho Penalty, lambda Weight, c *ad.Param) EdgeTerm {
	return halo{penalized(rho, lambda), c}
}

type halo struct {
	residual
	c *ad.Param
}

var (
	_ FusedEdges     = halo{}
	_ MajorizedEdges = halo{}
)

// Identities returns a stack of n identity matrices, nd×d.
func Identities(n, d int) *mat.Dense {
	m := mat.New(n*d, d)
	mat.Expand(m.As(mat.Shape{Rows: n, Cols: d * d}), mat.Eye(d).As(mat.Shape{Rows: 1, Cols: d * d}))
	return m
}

// check refuses a graph with another number of relations.
func (t halo) check(on *Structure) {
	d := t.c.Cols()
	if n := on.Graph.NumRelations(); n*d != t.c.Rows() {
		panic(fmt.Sprintf("energy: Relational has %.4g matrices for a graph of %d relations",
			float64(t.c.Rows())/float64(d), n))
	}
}

// Edge returns f per edge: computed relation by relation and put back in the order of the edges.
func (t halo) Edge(e Edges) ad.Var {
	t.check(e.On)
	by := e.On.byRelation()
	z := e.U.Gather(by.edges).GroupMatMul(by.groups, t.c.Var, mat.NN).Sub(e.V.Gather(by.edges))
	f := t.rho.Rows(z).SegmentSum(by.edges)
	return e.weigh(f).Mul(t.lambda.Var())
}

func (t halo) Params() []*ad.Param { return append(t.lambda.Params(), t.c) }
func (t halo) Name() string        { return "Relational " + t.rho.Name }

// EdgeGrad is, for quadratic ρ and with A_r by source, the sum over relations of
//
//	λ( D_r H C_r Cᵀ_r − A_r H Cᵀ_r )      at sources
//	λ( Dᵀ_r H − Aᵀ_r H C_r )              at targets, with Σ_r Dᵀ_r = D_in
//
// Where r has an inverse r⁻ in the graph, the targets of r⁻ are the sources of r and both are one:
//
//	λ( D_r H (C_r Cᵀ_r + I) − A_r H (Cᵀ_r + C_r⁻) )
func (t halo) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	scale, ok := t.quadratic(on)
	if !ok || on.Graph.NumEdges() == 0 {
		return ad.Var{}
	}
	messages := on.exchanges().run(on, h, t.c.Mul(scale))
	if on.inverses() {
		return on.blendOut(h.Cols()).run(h, t.gram(on, true).Mul(scale)).Sub(messages)
	}
	own := on.blendOut(h.Cols()).run(h, t.gram(on, false).Mul(scale))
	return own.Add(h.Mul(on.indegree().Mul(scale))).Sub(messages)
}

// quadratic returns λ ρ″ where ρ is quadratic.
func (t halo) quadratic(on *Structure) (scale ad.Var, ok bool) {
	t.check(on)
	c, ok := t.rho.quadratic()
	return t.lambda.Var().Scale(c), ok
}

// gram returns the stack of C_r Cᵀ_r, or C_r Cᵀ_r + I.
func (t halo) gram(on *Structure, plusOne bool) ad.Var {
	d := t.c.Cols()
	g := t.c.GroupMatMul(on.squares(d), t.c.Var, mat.NT)
	if plusOne {
		return stacked(flat(g).Add(flat(ad.Eye(d))), d)
	}
	return g
}

// EdgeCurvature adds up the curvature of Compat over relations: 2λ sup ρ″ Σ_r (D_in,r + c_r² D_out,r).
func (t halo) EdgeCurvature(on *Structure) ad.Var {
	t.check(on)
	squares := spectralSquares(t.c.Var, on.squares(t.c.Cols()))
	d := on.relationOut().mul(squares).Add(on.indegree())
	return d.Scale(2 * t.rho.Curv).Mul(t.lambda.Var())
}

// Uncoupled returns λ sup ρ″ D, the curvature for C = 0, with D the edges out of a node, which equal the edges into it
// because of inverse relations.
func (t halo) Uncoupled(on *Structure) ad.Var {
	return on.outdegree().Scale(t.rho.Curv).Mul(t.lambda.Var())
}
