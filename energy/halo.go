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
// with a trained C_r, d×d, for every relation. HALO sums over relations and their inverses, each with a
// matrix of its own: the graph is that of WithInverse.
type Relational struct {
	Rho    Penalty // the zero value is HalfSquared
	Lambda Weight
	C      []*ad.Param // one per relation
}

var (
	_ FusedEdges     = Relational{}
	_ MajorizedEdges = Relational{}
)

// NewRelational is λ/2 ‖h_u C_r − h_v‖² for rows of d numbers with λ = 1, every C_r starting as the identity.
func NewRelational(relations, d int) Relational {
	t := Relational{Rho: HalfSquared, Lambda: Fixed(1)}
	for r := range relations {
		t.C = append(t.C, ad.NewParam(fmt.Sprintf("C.%d", r), mat.Eye(d)))
	}
	return t
}

// check refuses a graph with another number of relations.
func (t Relational) check(on *Structure) {
	if n := on.Graph.NumRelations(); n != len(t.C) {
		panic(fmt.Sprintf("energy: Relational has %d matrices for a graph of %d relations", len(t.C), n))
	}
}

// Edge is f per edge: relation by relation, every one put at the places of its edges.
func (t Relational) Edge(e Edges) ad.Var {
	t.check(e.On)
	rho := t.Rho.orHalfSquared()
	total := ad.Zeros(mat.Shape{Rows: e.U.Rows(), Cols: 1})
	for r, c := range t.C {
		of := e.On.OfRelation(r)
		if of.Len() == 0 {
			continue
		}
		z := e.U.Gather(of).MatMul(c.Var).Sub(e.V.Gather(of))
		total = total.Add(rho.Rows(z).SegmentSum(of))
	}
	return e.weigh(total).Mul(t.Lambda.Var())
}

// Params are the C_r and those of λ.
func (t Relational) Params() []*ad.Param { return append(t.Lambda.Params(), t.C...) }

// Name says which penalty.
func (t Relational) Name() string { return "Relational " + t.Rho.orHalfSquared().Name }

// EdgeGrad is, for quadratic ρ and with A_r by source, the sum over relations of
//
//	λ( D_r H C_r Cᵀ_r − A_r H Cᵀ_r )      at sources
//	λ( Dᵀ_r H − Aᵀ_r H C_r )              at targets, with Σ_r Dᵀ_r = D_in
//
// Where r has an inverse r⁻ in the graph, the targets of r⁻ are the sources of r and both are one:
//
//	λ( D_r H (C_r Cᵀ_r + I) − A_r H (Cᵀ_r + C_r⁻) )
func (t Relational) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	scale, ok := t.quadratic(on)
	if !ok {
		return ad.Var{}
	}
	total, alone := ad.Zeros(h.Shape()), false
	for r, p := range on.relationParts() {
		if p.empty() {
			continue
		}
		c := t.C[r].Var
		if back, ok := on.inverse(r); ok {
			total = total.Add(p.pull(h, c.MatMulT(c).Add(ad.Eye(c.Rows())).Mul(scale), c.T().Add(t.C[back].Var).Mul(scale)))
			continue
		}
		total = total.Add(p.pull(h, c.MatMulT(c).Mul(scale), c.T().Mul(scale)))
		total = total.Sub(p.flip().messages(h, c.Mul(scale)))
		alone = true
	}
	if alone {
		total = total.Add(h.Mul(on.InDegree().Mul(scale)))
	}
	return total
}

// bothGrad is, for quadratic ρ and every edge both ways, Σ_r λ( D_r H (C_r Cᵀ_r + I) − A_r H (C_r + Cᵀ_r) ).
func (t Relational) bothGrad(on *Structure, h ad.Var) ad.Var {
	scale, ok := t.quadratic(on)
	if !ok {
		return ad.Var{}
	}
	total := ad.Zeros(h.Shape())
	for r, p := range on.relationBoth() {
		if p.empty() {
			continue
		}
		c := t.C[r].Var
		total = total.Add(p.pull(h, c.MatMulT(c).Add(ad.Eye(c.Rows())).Mul(scale), c.Add(c.T()).Mul(scale)))
	}
	return total
}

// quadratic is λ ρ″ where ρ is quadratic.
func (t Relational) quadratic(on *Structure) (scale ad.Var, ok bool) {
	t.check(on)
	c, ok := t.Rho.orHalfSquared().quadratic()
	return t.Lambda.Var().Scale(c), ok
}

// pull is D h G − A h B at the rows of p.
func (p part) pull(h, g, b ad.Var) ad.Var {
	own := pick(h, p.rows).MatMul(g).Mul(p.deg)
	return place(own.Sub(p.mul(pick(h, p.cols).MatMul(b))), p.rows)
}

// messages is A h B at the rows of p.
func (p part) messages(h, b ad.Var) ad.Var {
	return place(p.mul(pick(h, p.cols).MatMul(b)), p.rows)
}

// EdgeCurvature is that of Compat for every relation: 2λ sup ρ″ Σ_r (D_in,r + c_r² D_out,r).
func (t Relational) EdgeCurvature(on *Structure) ad.Var {
	t.check(on)
	c := make([]ad.Var, len(t.C))
	for r := range c {
		c[r] = spectralSquare(t.C[r].Var)
	}
	d := on.relationOut().Mul(ad.Concat(c...).T()).Add(on.InDegree())
	return d.Scale(2 * t.Rho.orHalfSquared().Curv).Mul(t.Lambda.Var())
}
