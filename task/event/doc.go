// Package event learns who meets whom next: links in a graph in time, whose edges are events (source, target, time).
//
// The lower level holds what has been learnt so far. For everything that can happen again, a pair that meets, a target
// that is met or met for the first time, it has a state h ≥ 0 for each of four half-lives, which minimises
//
//	ℓ_low(h; t) = ½ h² − h Σ_i e^(−(t − tᵢ)/τ)        over the events i before t
//
// that is, events pull at h less the older they are. The minimiser is known, h = Σ_i e^(−(t − tᵢ)/τ), and an event
// moves it in constant time: h ← 1 + e^(−Δ/τ) h. The energy of the pair (s, d) at time t is a sum of terms,
//
//	E(s, d; t) = − Σ_k θ_k(x_k(s, d; t))        p(d | s, t) = softmax_d(−E)
//
// where x_k are the states and what else is known (when a pair met last, how many others the source has met since, …)
// and θ_k are piecewise linear functions. The upper level trains θ by −log p of the events of the training period, in
// the order of time, each predicted from events before it alone.
//
// The targets of all events are the candidates. Events are predicted in batches: the lower level stands still while a
// batch is predicted, and then learns from it. A batch of one is an event at a time.
package event
