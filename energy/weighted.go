package energy

import "github.com/bloomgml/bloom/ad"

// Weighted is λ·f.
func Weighted(lambda Weight, f EdgeTerm) EdgeTerm {
	t := weighted{lambda, f}
	if _, ok := f.(MajorizedEdges); ok {
		return majorizedWeighted{t}
	}
	return t
}

type weighted struct {
	lambda Weight
	f      EdgeTerm
}

// majorizedWeighted is Weighted of a term with bounded curvature.
type majorizedWeighted struct{ weighted }

var (
	_ FusedEdges     = weighted{}
	_ MajorizedEdges = majorizedWeighted{}
)

func (t weighted) Edge(e Edges) ad.Var { return t.times(t.f.Edge(e)) }
func (t weighted) Params() []*ad.Param { return append(t.lambda.Params(), t.f.Params()...) }
func (t weighted) even() bool          { return isEven(t.f) }

// times is λv, absent where v is.
func (t weighted) times(v ad.Var) ad.Var {
	if v.IsZero() {
		return v
	}
	return v.Mul(t.lambda.Var())
}

// EdgeGrad is λ times that of f, where f has a fast form.
func (t weighted) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(FusedEdges); ok {
		return t.times(f.EdgeGrad(on, h))
	}
	return ad.Var{}
}

func (t weighted) bothGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(bothGrad); ok {
		return t.times(f.bothGrad(on, h))
	}
	return ad.Var{}
}

// EdgeCurvature is λ times that of f.
func (t majorizedWeighted) EdgeCurvature(on *Structure) ad.Var {
	return t.times(t.f.(MajorizedEdges).EdgeCurvature(on))
}
