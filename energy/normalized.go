package energy

import "github.com/bloomgml/bloom/ad"

// Normalized is f of rows divided by the roots of their degrees:
//
//	f(h_u/√d_u, h_v/√d_v; r)
//
// which is Laplace with graph.Symmetric for Laplace with graph.None. Hubs then move no faster than others, and what a
// node receives grows with its degree.
func Normalized(f EdgeTerm) EdgeTerm { return normalized{inner{f}} }

type normalized struct{ inner }

var (
	_ quadraticEdges = normalized{}
	_ MajorizedEdges = normalized{}
	_ UncoupledEdges = normalized{}
)

func (t normalized) Name() string { return "normalized " + NameOf(t.f) }

func (t normalized) Edge(e Edges) ad.Var {
	root := e.On.RootDegree() // 0 where all edges weigh nothing
	e.U, e.V = e.U.Mul(root.Gather(e.end(true))), e.V.Mul(root.Gather(e.end(false)))
	return t.f.Edge(e)
}

// EdgeGrad returns D^−½ times the gradient of f at D^−½ h, where f has a fast form.
func (t normalized) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	root := on.RootDegree()
	return times(fastGrad(t.f, on, h.Mul(root)), root)
}

func (t normalized) EdgeCurvature(on *Structure) ad.Var {
	return times(curvature(t.f, on), on.RootDegree().Square())
}

// Uncoupled returns D⁻¹ times the bound of f without its coupling.
func (t normalized) Uncoupled(on *Structure) ad.Var {
	return times(uncoupled(t.f, on), on.RootDegree().Square())
}
