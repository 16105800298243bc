package energy

import "github.com/bloomgml/bloom/ad"

// QuadraticEdges is an EdgeTerm that may be a quadratic form of h, as λ/2 ‖h_u C − h_v‖² is and a Huber penalty is not.
type QuadraticEdges interface {
	FusedEdges
	Quadratic() bool
}

var (
	_ QuadraticEdges = Laplace{}
	_ QuadraticEdges = Compat{}
	_ QuadraticEdges = Relational{}
	_ QuadraticEdges = Difference{}
	_ QuadraticEdges = both{}
	_ QuadraticEdges = scaled{}
)

// Quadratic is true.
func (Laplace) Quadratic() bool { return true }

// Quadratic reports whether ρ is.
func (t Compat) Quadratic() bool { return t.Rho.isQuadratic() }

// Quadratic reports whether ρ is.
func (t Difference) Quadratic() bool { return t.Rho.isQuadratic() }

// Quadratic reports whether ρ is.
func (t Relational) Quadratic() bool { return t.Rho.isQuadratic() }

// isQuadratic reports whether ρ, or what stands for it where it is absent, is a multiple of HalfSquared.
func (p Penalty) isQuadratic() bool {
	_, ok := p.orHalfSquared().quadratic()
	return ok
}

// Quadratic reports whether the term is that is summed both ways.
func (t both) Quadratic() bool { return isQuadratic(t.f) }

// Quadratic reports whether the term is that is weighted.
func (t scaled) Quadratic() bool { return isQuadratic(t.f) }

func isQuadratic(f EdgeTerm) bool {
	q, ok := f.(QuadraticEdges)
	return ok && q.Quadratic()
}

// Total is Smooth, 1×1, without one row per edge where that is possible: for a quadratic form, Euler says that
//
//	Σ_E f = ½ ⟨H, ∂/∂H Σ_E f⟩
//
// and the derivative is one that a step of descent needs anyway. Where f is far below the sizes of the rows that it
// compares, that many digits are lost: Smooth is the one to differentiate, or to compare two points by that are near
// each other.
func (l *Lower) Total(h ad.Var) ad.Var {
	total := ad.Number(0)
	for _, f := range l.F {
		total = total.Add(l.edgeTotal(f, h))
	}
	for _, k := range l.Kappa {
		total = total.Add(k.Node(l.nodes(h, h)).Sum())
	}
	for _, w := range l.Whole {
		total = total.Add(w.Whole(h))
	}
	return total
}

// edgeTotal is Σ_E f for one term.
func (l *Lower) edgeTotal(f EdgeTerm, h ad.Var) ad.Var {
	if isQuadratic(f) {
		return h.Dot(l.edgeGrad(f, h)).Scale(0.5)
	}
	return f.Edge(l.edges(h, h)).Sum()
}
