package energy

import "github.com/bloomgml/bloom/ad"

// Both sums f both ways on every stored edge:
//
//	f(h_u, h_v; r) + f(h_v, h_u; r)
//
// which is how a term that tells u from v is used on undirected edges.
func Both(f EdgeTerm) EdgeTerm { return both{inner{f}} }

type both struct{ inner }

var (
	_ FusedEdges     = both{}
	_ MajorizedEdges = both{}
	_ UncoupledEdges = both{}
)

func (t both) Edge(e Edges) ad.Var { return t.f.Edge(e).Add(t.f.Edge(e.reverse())) }
func (t both) Name() string        { return "both ways " + NameOf(t.f) }

// bothGrad is a term that knows the gradient of Both of itself. The result is absent if there is no such form.
type bothGrad interface {
	bothGrad(on *Structure, h ad.Var) ad.Var
}

// EdgeGrad adds f on the edges and on the reversed edges, where f has a fast form.
func (t both) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(bothGrad); ok {
		if g := f.bothGrad(on, h); !g.IsZero() {
			return g
		}
	}
	return t.sum(on, func(on *Structure) ad.Var { return fastGrad(t.f, on, h) })
}

// EdgeCurvature adds f on the edges and on the reversed edges.
func (t both) EdgeCurvature(on *Structure) ad.Var {
	return t.sum(on, func(on *Structure) ad.Var { return curvature(t.f, on) })
}

// sum adds v of the edges and of the reversed edges, which is the same if f is even; absent where v is.
func (t both) sum(on *Structure, v func(*Structure) ad.Var) ad.Var {
	there := v(on)
	switch {
	case there.IsZero():
		return there
	case t.even():
		return there.Scale(2)
	}
	back := v(on.backwards())
	if back.IsZero() {
		return back
	}
	return there.Add(back)
}

// Uncoupled adds f on the edges and on the reversed edges.
func (t both) Uncoupled(on *Structure) ad.Var {
	there := uncoupled(t.f, on)
	if there.IsZero() {
		return there
	}
	return there.Add(uncoupled(t.f, on.backwards()))
}

// inner is the term that another one is made of, and what the two have in common.
type inner struct{ f EdgeTerm }

func (t inner) Params() []*ad.Param { return t.f.Params() }
func (t inner) Quadratic() bool     { return isQuadratic(t.f) }
func (t inner) inside() EdgeTerm    { return t.f }

// even reports whether f(h_u, h_v) = f(h_v, h_u) is known.
func (t inner) even() bool {
	e, ok := t.f.(interface{ even() bool })
	return ok && e.even()
}

// fastGrad returns the gradient of f by its fast form, absent if it has none.
func fastGrad(f EdgeTerm, on *Structure, h ad.Var) ad.Var {
	if t, ok := f.(FusedEdges); ok {
		return t.EdgeGrad(on, h)
	}
	return ad.Var{}
}

// curvature returns the bound on the curvature of f, absent if it has none.
func curvature(f EdgeTerm, on *Structure) ad.Var {
	if t, ok := f.(MajorizedEdges); ok {
		return t.EdgeCurvature(on)
	}
	return ad.Var{}
}

// uncoupled returns the same of f without its coupling.
func uncoupled(f EdgeTerm, on *Structure) ad.Var {
	if t, ok := f.(UncoupledEdges); ok {
		return t.Uncoupled(on)
	}
	return ad.Var{}
}

// times returns v∘w, absent if v is.
func times(v, w ad.Var) ad.Var {
	if v.IsZero() {
		return v
	}
	return v.Mul(w)
}
