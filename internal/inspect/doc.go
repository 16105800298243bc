// Package inspect takes an energy apart on a small random graph: its formula and the layer that follows from it, its
// gradient against finite differences, how long a step may be, and the energy step by step.
//
// # The page docs/play
//
// A Session is what that page asks of the engine: a graph that somebody draws on a plane, with an energy from a file. A
// row of H is a point of the same plane,
//
//	x_v ∈ R² where node v was drawn    π(x) = x    H⁽ˡ⁾ = A[ℓ_low, H⁽ˡ⁻¹⁾]    g(h; Θ) = softmax(h Θ + b)
//
// so the descent is seen as it is: nodes move. Open gives the descent of a drawing, Session.Learn trains Θ and what the
// energy has to train, as C, by the labels; both answer with every step. The program cmd/bloom-play, compiled to
// WebAssembly, hands it to the page.
package inspect
