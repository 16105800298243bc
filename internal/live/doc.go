// Package live keeps the states of a descent true while its graph changes: nodes and edges come and go, rows of
// π change, and only what they reach is computed again.
//
// It knows the separable energies in which every row has a degree of its own and nothing else of the graph,
//
//	ℓ_low(H) = λ Σ_(u,v) a_uv/2 ‖h_u s_u − h_v s_v‖² + w Σ_v ρ(h_v − p_v) + η(h_v)
//
// with s = 1 or 1/√d, and η nothing or h ≥ 0, in two ways. steps = 0 is the minimiser: rows whose gradient may be
// longer than a tolerance are solved for until none remains (State.Settle), and the remaining gradient bounds the
// distance to the true answer (State.Bound); if a change reaches everywhere, all rows are solved for together. With
// steps = L it is H⁽ᴸ⁾ itself: all layers are kept, and a change goes through them exactly.
//
// Changes are made in drafts (State.Draft), which copy the rows that move. A draft is either dropped without a trace
// or committed; what the commit has replaced can be restored, to the last bit.
//
// Its rows are numbers on the host, a few at a time: the one place above mat that works on them, through the kernels.
package live
