package energy

import "github.com/bloomgml/bloom/ad"

// Received is the energy of path models (NBFNet with weights that all layers share): every node takes what it
// receives, and its own row, as given, and turns towards both,
//
//	f(h_u, h_v; r) = −⟨h_v, m(h̄_u, e_r) Φ⟩                       Edges, for AggregateSum
//	κ(h_v; x_v)    = −⟨h_v, x_v Φ⟩ − ⟨h_v, h̄_v Ψ⟩                Nodes, for AggregateSum
//	κ(h_v; x_v)    = −⟨h_v, pna{m(h̄_u, e_r), x_v} Φ⟩ − ⟨h_v, h̄_v Ψ⟩   Nodes, for the others, where f = 0
//	−∇             = a Φ + h Ψ,  a = Σ m(h_u, e_r) + x or the pna of the same
//
// An edge sends to its target alone, so every edge comes with its inverse, a separate edge. The field −∇ is the
// gradient of each node's own part (see Lower.Game), not of one function; it is one where Φ and Ψ are symmetric, m is
// h_u + e_r and a is the sum: there it is Path, −∇ = h − ∇Path.
type Received struct {
	Message   QueryModel // m(h_u, e_r) is its Query
	Aggregate Aggregate
	Phi, Psi  *ad.Param   // Φ, d×d or 12d×d for PNA, and Ψ, d×d
	E         ad.Var      // e_r, one row per relation
	Train     []*ad.Param // what E is computed from
}

// Aggregate is how the messages to a node become one row.
type Aggregate uint8

// The aggregates.
const (
	// AggregateSum is their sum.
	AggregateSum Aggregate = iota
	// AggregatePNA is mean, largest, smallest and deviation of the messages and of x_v, each of them plain, times and
	// divided by s = log c / mean log c of a node with c of them.
	AggregatePNA
	// AggregatePNAFused is PNA with the second moment of NBFNet's fused kernels for m = h_u + e_r: of h_u² + e_r².
	AggregatePNAFused
)

// Terms returns f and κ.
func (r Received) Terms() ([]EdgeTerm, []NodeTerm) {
	if r.Aggregate == AggregateSum {
		return []EdgeTerm{receivedEdges{r}}, []NodeTerm{receivedNodes{r}}
	}
	return nil, []NodeTerm{receivedNodes{r}}
}

// receivedEdges is f of a Received.
type receivedEdges struct{ of Received }

// receivedNodes is κ of a Received.
type receivedNodes struct{ of Received }

var (
	_ receiver = receivedEdges{}
	_ receiver = receivedNodes{}
	_ EdgeTerm = receivedEdges{}
	_ NodeTerm = receivedNodes{}
)

func (t receivedEdges) Edge(e Edges) ad.Var {
	m := t.of.Message.Query(e.received(), t.of.E.Gather(e.R))
	return e.weigh(m.MatMul(t.of.Phi.Var).RowDot(e.V).Neg())
}

func (t receivedEdges) Params() []*ad.Param { return append([]*ad.Param{t.of.Phi}, t.of.Train...) }
func (receivedEdges) Name() string          { return "Received messages" }
func (receivedEdges) Receives()             {}

func (t receivedNodes) Node(v Nodes) ad.Var {
	a := v.X
	if t.of.Aggregate != AggregateSum {
		a = t.of.pna(v)
	}
	return a.MatMul(t.of.Phi.Var).Add(v.Held.MatMul(t.of.Psi.Var)).RowDot(v.H).Neg()
}

// Params returns Φ and Ψ, and for PNA what the vectors of relations are computed from.
func (t receivedNodes) Params() []*ad.Param {
	ps := []*ad.Param{t.of.Phi, t.of.Psi}
	if t.of.Aggregate == AggregateSum {
		return ps
	}
	return append(ps, t.of.Train...)
}

func (receivedNodes) Name() string { return "Received rows" }

// Receives: h̄_v, and h̄_u for PNA.
func (receivedNodes) Receives() {}

// receiver is a term in which a node treats what it receives as a constant: it reads Held, H̄ = H, whose derivative is
// 0. Each node then descends its own part of the energy while the others are held fixed, a game: the field that
// Lower.Grad returns has
//
//	row v = ∂/∂h_v of the terms of v, at h̄ = h
//
// and is not the gradient of any function, unless a symmetry makes it one. Training derivatives go through H̄ as
// through H.
type receiver interface{ Receives() }

// Game reports whether a term takes what nodes receive as given: it has a method Receives and reads Held. Grad is then
// the gradient of every node's own part, and of no one function.
func (l *Lower) Game() bool {
	for _, f := range l.F {
		if receives(f) {
			return true
		}
	}
	for _, k := range l.Kappa {
		if receives(k) {
			return true
		}
	}
	return false
}

// receives reports whether a term, or the term that it wraps, is a receiver.
func receives(term any) bool {
	switch t := term.(type) {
	case receiver:
		return true
	case interface{ inside() EdgeTerm }:
		return receives(t.inside())
	}
	return false
}
