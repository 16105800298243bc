package energy

import "github.com/bloomgml/bloom/ad"

// quadraticEdges is an EdgeTerm that may be a quadratic form of h, as λ/2 ‖h_u C − h_v‖² is and a Huber penalty is not.
type quadraticEdges interface {
	FusedEdges
	Quadratic() bool
}

var (
	_ quadraticEdges = laplace{}
	_ quadraticEdges = compat{}
	_ quadraticEdges = halo{}
	_ quadraticEdges = difference{}
	_ quadraticEdges = both{}
	_ quadraticEdges = scaled{}
)

func isQuadratic(f EdgeTerm) bool {
	q, ok := f.(quadraticEdges)
	return ok && q.Quadratic()
}

// summedEdges is an EdgeTerm that can sum its energies without one row per edge.
type summedEdges interface {
	EdgeTerm
	// sum is Σ_E f, 1×1; absent if there is no fast form.
	sum(on *Structure, h ad.Var) ad.Var
}

// Total is Smooth, 1×1, without one row per edge where that is possible. For a quadratic form, Euler says that
//
//	Σ_E f = ½ ⟨H, ∂/∂H Σ_E f⟩
//
// and the derivative is one that a step of descent needs anyway; where such an f is far below the sizes of the rows
// that it compares, that many digits are lost: Smooth is the one to differentiate, or to compare two points by that
// are near each other.
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

// edgeTotal returns Σ_E f for one term.
func (l *Lower) edgeTotal(f EdgeTerm, h ad.Var) ad.Var {
	if isQuadratic(f) {
		return h.Dot(l.edgeGrad(f, h)).Scale(0.5)
	}
	if f, ok := f.(summedEdges); ok {
		if s := f.sum(l.On, h); !s.IsZero() {
			return s
		}
	}
	return f.Edge(l.edges(h, h)).Sum()
}
