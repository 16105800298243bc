package energy

import "github.com/bloomgml/bloom/ad"

// Normalized is f of rows divided by the roots of their degrees:
//
//	f(h_u/√d_u, h_v/√d_v; r)
//
// which is Laplace with graph.Symmetric for Laplace with graph.None. Hubs then move no faster than others, and what a
// node receives grows with its degree.
func Normalized(f EdgeTerm) EdgeTerm {
	if _, ok := f.(MajorizedEdges); ok {
		return majorizedNormalized{normalized{f}}
	}
	return normalized{f}
}

type normalized struct{ f EdgeTerm }

// majorizedNormalized is Normalized of a term with bounded curvature.
type majorizedNormalized struct{ normalized }

var (
	_ quadraticEdges = normalized{}
	_ MajorizedEdges = majorizedNormalized{}
	_ UncoupledEdges = majorizedNormalized{}
)

func (t normalized) Params() []*ad.Param { return t.f.Params() }
func (t normalized) Name() string        { return "normalized " + NameOf(t.f) }
func (t normalized) Quadratic() bool     { return isQuadratic(t.f) }
func (t normalized) even() bool          { return isEven(t.f) }

func (t normalized) Edge(e Edges) ad.Var {
	root := e.On.RootDegree() // 0 where all edges weigh nothing
	e.U, e.V = e.U.Mul(root.Gather(e.end(true))), e.V.Mul(root.Gather(e.end(false)))
	return t.f.Edge(e)
}

// EdgeGrad returns D^−½ times the gradient of f at D^−½ h, where f has a fast form.
func (t normalized) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	f, ok := t.f.(FusedEdges)
	if !ok {
		return ad.Var{}
	}
	root := on.RootDegree()
	g := f.EdgeGrad(on, h.Mul(root))
	if g.IsZero() {
		return g
	}
	return g.Mul(root)
}

// EdgeCurvature returns D⁻¹ times the bound of f.
func (t majorizedNormalized) EdgeCurvature(on *Structure) ad.Var {
	return t.f.(MajorizedEdges).EdgeCurvature(on).Mul(on.RootDegree().Square())
}

// Uncoupled returns D⁻¹ times the bound of f without its coupling.
func (t majorizedNormalized) Uncoupled(on *Structure) ad.Var {
	f, ok := t.f.(UncoupledEdges)
	if !ok {
		return ad.Var{}
	}
	return f.Uncoupled(on).Mul(on.RootDegree().Square())
}
