// Package solve minimises energies in numbers, wherever the rows are: on a device, on the host, in blocks on the disk,
// in parts of a graph on several machines, or in a graph that changes.
//
// Form is the step of a separable descent, for which descent.Local has the coefficients that descent.Plan runs in
// memory: φ and prox of single entries. A Stepper takes steps on blocks of rows.
//
// Conjugate is the recurrence of conjugate gradients and knows nothing of vectors: a Problem has those. Linear is the
// Problem Mx = b for vectors of a Space:
//
//	s, err := solve.NewFloats(n, func(dst, v []float64) error { … }).Solve(x, b, 1e-12, 1000)
//
// # A graph that changes
//
// A State keeps the states of a descent true while its graph changes: nodes and edges come and go, rows of π change,
// and only what they reach is computed again. It knows L steps of the separable energies in which every row has a
// degree of its own and nothing else of the graph,
//
//	ℓ_low(H) = λ Σ_(u,v) a_uv/2 ‖h_u s_u − h_v s_v‖² + w Σ_v ρ(h_v − p_v) + η(h_v)
//
// with s = 1 or 1/√d, and η nothing or h ≥ 0: all layers are kept, and a change goes through them exactly. It also
// knows their minimum where ρ is quadratic (NewMinimum), with a bound on the distance to it. States of other models are
// computed elsewhere (Hold).
//
// Changes are made in drafts (State.Draft), which copy the rows that move. A draft is either dropped without a trace
// or committed; what the commit has replaced can be restored, to the last bit.
package solve
