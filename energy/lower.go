package energy

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
)

// Lower is ℓ_low on one graph: what the steps of a descent see.
type Lower struct {
	On    *Structure
	Pi, X ad.Var      // π(x; W), n×d, and the features; either may be absent if no term reads it
	F     []EdgeTerm  // f, summed
	Kappa []NodeTerm  // κ, summed
	Whole []WholeTerm // terms on all of H at once, summed; mostly none
	Eta   Constraint  // η; nil means none
}

// edges returns the edges at h; held is what nodes receive.
func (l *Lower) edges(h, held ad.Var) Edges {
	return Edges{U: h.Gather(l.On.Source()), V: h.Gather(l.On.Target()), R: l.On.Relation(), On: l.On, Held: held,
		X: l.X}
}

func (l *Lower) nodes(h, held ad.Var) Nodes {
	return Nodes{H: h, Pi: l.Pi, X: l.X, On: l.On, Held: held}
}

// Rows returns the energies of all terms at h, a row per edge or node, where nodes receive held: h itself for the
// energy of h, a constant for what Grad differentiates.
func (l *Lower) Rows(h, held ad.Var) (edges, nodes []ad.Var) {
	for _, f := range l.F {
		edges = append(edges, f.Edge(l.edges(h, held)))
	}
	for _, k := range l.Kappa {
		nodes = append(nodes, k.Node(l.nodes(h, held)))
	}
	return edges, nodes
}

// Smooth returns Σ f + Σ κ and the whole terms, 1×1: the energy without η.
func (l *Lower) Smooth(h ad.Var) ad.Var {
	total := ad.Number(0)
	edges, nodes := l.Rows(h, h)
	for _, rows := range slices.Concat(edges, nodes) {
		total = total.Add(rows.Sum())
	}
	for _, w := range l.Whole {
		total = total.Add(w.Whole(h))
	}
	return total
}

// Grad returns the derivative of Smooth to h, n×d, with what nodes receive held fixed if Game reports true. Row v is
// the sum of the messages from all edges at v, whichever end it is, and the derivative of κ: what Proposition 2 calls
// aggregation.
func (l *Lower) Grad(h ad.Var) ad.Var {
	total := l.EdgeGrad(h)
	at := ad.Renew(h) // π or x may be h itself, as at the start of a descent; they are constants here, and so is h̄
	for _, k := range l.Kappa {
		total = total.Add(ad.Grad(k.Node(l.nodes(at, h)).Sum(), at)[0])
	}
	for _, w := range l.Whole {
		at := ad.Renew(h)
		total = total.Add(ad.Grad(w.Whole(at), at)[0])
	}
	return total
}

// EdgeGrad returns the part of Grad that comes from edges: the messages, summed.
func (l *Lower) EdgeGrad(h ad.Var) ad.Var {
	total := ad.Fill(h.Shape(), 0)
	for _, f := range l.F {
		total = total.Add(l.edgeGrad(f, h))
	}
	return total
}

// edgeGrad returns the derivative of one edge term, by its fast form if it has one.
func (l *Lower) edgeGrad(f EdgeTerm, h ad.Var) ad.Var {
	if g := fastGrad(f, l.On, h); !g.IsZero() {
		return g
	}
	at := ad.Renew(h)
	return ad.Grad(f.Edge(l.edges(at, h)).Sum(), at)[0]
}

// Plain returns l without fast forms: every term by its definition.
func (l *Lower) Plain() *Lower {
	p := *l
	p.F = nil
	for _, f := range l.F {
		p.F = append(p.F, plainEdges{f})
	}
	return &p
}

// plainEdges hides everything of an EdgeTerm but its definition.
type plainEdges struct{ EdgeTerm }

func (t plainEdges) inside() EdgeTerm { return t.EdgeTerm }

// Prox returns the prox of η with parameter gamma, h itself if there is no η.
func (l *Lower) Prox(h, gamma ad.Var) ad.Var {
	if l.Eta == nil {
		return h
	}
	return l.Eta.Prox(h, gamma)
}

// Feasible returns the point next to h at which η is finite, the limit of its prox as γ → 0: max(0, h) for h ≥ 0, and h
// itself for a penalty such as L1 or no η. A descent that starts there has a finite energy before its first step too.
func (l *Lower) Feasible(h ad.Var) ad.Var { return l.Prox(h, ad.Number(0)) }

// Params returns the parameters of all terms, without duplicates.
func (l *Lower) Params() []*ad.Param {
	var ps []*ad.Param
	add := func(more []*ad.Param) {
		for _, p := range more {
			if !slices.Contains(ps, p) {
				ps = append(ps, p)
			}
		}
	}
	for _, f := range l.F {
		add(f.Params())
	}
	for _, k := range l.Kappa {
		add(k.Params())
	}
	for _, w := range l.Whole {
		add(w.Params())
	}
	return ps
}

// WholeTerm is an energy of all of H at once, 1×1, for what does not fall apart into edges and nodes: the logarithm of
// a sum over nodes, as in a question to which many of them are false answers. It has no bound on its curvature.
type WholeTerm interface {
	Whole(h ad.Var) ad.Var
	Params() []*ad.Param
}
