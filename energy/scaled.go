package energy

import "github.com/bloomgml/bloom/ad"

// WeightedEdges is λ·f.
func WeightedEdges(lambda Weight, f EdgeTerm) EdgeTerm {
	t := scaled{lambda, f}
	if _, ok := f.(MajorizedEdges); ok {
		return majorizedScaled{t}
	}
	return t
}

type scaled struct {
	lambda Weight
	f      EdgeTerm
}

// majorizedScaled is WeightedEdges of a term with bounded curvature.
type majorizedScaled struct{ scaled }

var (
	_ FusedEdges     = scaled{}
	_ MajorizedEdges = majorizedScaled{}
)

func (t scaled) Edge(e Edges) ad.Var { return t.times(t.f.Edge(e)) }
func (t scaled) Params() []*ad.Param { return append(t.lambda.Params(), t.f.Params()...) }
func (t scaled) Name() string        { return "weighted " + NameOf(t.f) }
func (t scaled) even() bool          { return isEven(t.f) }

// times is λv, absent where v is.
func (t scaled) times(v ad.Var) ad.Var {
	if v.IsZero() {
		return v
	}
	return v.Mul(t.lambda.Var())
}

// EdgeGrad is λ times that of f, where f has a fast form.
func (t scaled) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(FusedEdges); ok {
		return t.times(f.EdgeGrad(on, h))
	}
	return ad.Var{}
}

func (t scaled) bothGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(bothGrad); ok {
		return t.times(f.bothGrad(on, h))
	}
	return ad.Var{}
}

// EdgeCurvature is λ times that of f.
func (t majorizedScaled) EdgeCurvature(on *Structure) ad.Var {
	return t.times(t.f.(MajorizedEdges).EdgeCurvature(on))
}
