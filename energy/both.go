package energy

import "github.com/bloomgml/bloom/ad"

// Both sums f both ways on every stored edge:
//
//	f(h_u, h_v; r) + f(h_v, h_u; r)
//
// which is how a term that tells u from v is used on undirected edges.
func Both(f EdgeTerm) EdgeTerm {
	if _, ok := f.(MajorizedEdges); ok {
		return majorizedBoth{both{f}}
	}
	return both{f}
}

type both struct{ f EdgeTerm }

// majorizedBoth is Both of a term with bounded curvature.
type majorizedBoth struct{ both }

var (
	_ FusedEdges     = both{}
	_ MajorizedEdges = majorizedBoth{}
)

func (t both) Edge(e Edges) ad.Var { return t.f.Edge(e).Add(t.f.Edge(e.reverse())) }
func (t both) Params() []*ad.Param { return t.f.Params() }
func (t both) Name() string        { return "both ways " + NameOf(t.f) }
func (t both) Quadratic() bool     { return isQuadratic(t.f) }

// bothGrad is a term that knows the gradient of Both of itself. The result is absent if there is no such form.
type bothGrad interface {
	bothGrad(on *Structure, h ad.Var) ad.Var
}

// even is a term that may know that f(h_u, h_v) = f(h_v, h_u).
type even interface{ even() bool }

func isEven(f EdgeTerm) bool {
	e, ok := f.(even)
	return ok && e.even()
}

// EdgeGrad adds f on the edges and on the reversed edges, where f has a fast form.
func (t both) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(bothGrad); ok {
		if g := f.bothGrad(on, h); !g.IsZero() {
			return g
		}
	}
	f, ok := t.f.(FusedEdges)
	if !ok {
		return ad.Var{}
	}
	there := f.EdgeGrad(on, h)
	if there.IsZero() || isEven(t.f) {
		return twice(there)
	}
	back := f.EdgeGrad(on.backwards(), h)
	if back.IsZero() {
		return back
	}
	return there.Add(back)
}

// twice returns 2v, absent if v is.
func twice(v ad.Var) ad.Var {
	if v.IsZero() {
		return v
	}
	return v.Scale(2)
}

// EdgeCurvature adds f on the edges and on the reversed edges.
func (t majorizedBoth) EdgeCurvature(on *Structure) ad.Var {
	f := t.f.(MajorizedEdges)
	if isEven(t.f) {
		return f.EdgeCurvature(on).Scale(2)
	}
	return f.EdgeCurvature(on).Add(f.EdgeCurvature(on.backwards()))
}

// Uncoupled adds f on the edges and on the reversed edges.
func (t majorizedBoth) Uncoupled(on *Structure) ad.Var {
	f, ok := t.f.(UncoupledEdges)
	if !ok {
		return ad.Var{}
	}
	return f.Uncoupled(on).Add(f.Uncoupled(on.backwards()))
}
