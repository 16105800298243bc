// Package energy holds the lower level: the energy of a graph as a sum of terms,
//
//	ℓ_low(H) = Σ_(u,r,v)∈E f(h_u, h_v; r) + Σ_v [ κ(h_v; x_v) + η(h_v) ]      (eq:lower_energy_main)
//
// H is n×d, row v belongs to node v. An EdgeTerm is f, a NodeTerm is κ, a Constraint is η, given by its
// prox. A user writes one energy per row; messages, aggregation, training derivatives, diagnostics and the
// step bound follow from it:
//
//	// f(h_u, h_v) = log cosh(h_u − h_v)
//	smooth := energy.OnEdges(energy.LogCosh, func(e energy.Edges) ad.Var { return e.U.Sub(e.V) })
//	lower := &energy.Lower{On: energy.NewStructure(g), F: []energy.EdgeTerm{smooth},
//		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}, Pi: pi}
//	step := h.Sub(lower.Grad(h).Scale(gamma))
//
// An undirected edge is stored once and counts once; Both sums a term in both directions. λ means this
// everywhere.
//
// What does not fall apart into edges and nodes, as a logarithm of a sum over nodes, is a WholeTerm.
//
// A term may also know more about itself. Fused is the same gradient without one row per edge, and
// Majorized a bound on its curvature, from which certified step sizes follow. Neither is a definition:
// package energytest compares both with the plain term.
package energy
