package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
)

// Laplace is the base edge term (eq:quad_example_energy), symmetric and convex:
//
//	f(h_u, h_v) = λ/2 ‖h_u − h_v‖²                      Norm: graph.None
//	f(h_u, h_v) = λ/2 ‖h_u/√d_u − h_v/√d_v‖²            Norm: graph.Symmetric
//
// times the weight of the edge. Summed over E it is λ/2 tr(Hᵀ(D − A)H), or λ/2 tr(Hᵀ(I − S)H).
type Laplace struct {
	Lambda Weight
	Norm   graph.Norm // None or Symmetric
}

var (
	_ FusedEdges     = Laplace{}
	_ MajorizedEdges = Laplace{}
)

// Edge is f per edge.
func (t Laplace) Edge(e Edges) ad.Var {
	u, v := e.U, e.V
	if t.Norm == graph.Symmetric {
		root := e.On.RootDegree() // 0 where all edges weigh nothing
		u, v = u.Mul(root.Gather(e.end(true))), v.Mul(root.Gather(e.end(false)))
	}
	return e.weigh(HalfSquared.Rows(u.Sub(v))).Mul(t.Lambda.Var())
}

// Params is θ of a trained λ.
func (t Laplace) Params() []*ad.Param { return t.Lambda.Params() }

// EdgeGrad is λ(D − A)h, or λ(I − S)h with isolated nodes left out.
func (t Laplace) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	if t.Norm == graph.None {
		return h.Mul(on.Degree()).Sub(on.Messages(h)).Mul(t.Lambda.Var())
	}
	scale := on.RootDegree()
	z := h.Mul(scale)
	return z.Mul(on.Degree()).Sub(on.Messages(z)).Mul(scale).Mul(t.Lambda.Var())
}

// EdgeCurvature: D − A ⪯ 2D, and I − S ⪯ 2I.
func (t Laplace) EdgeCurvature(on *Structure) ad.Var {
	d := on.Degree()
	if t.Norm == graph.Symmetric {
		d = d.Mul(on.RootDegree().Square()) // 1, or 0 for isolated nodes
	}
	return d.Scale(2).Mul(t.Lambda.Var())
}
