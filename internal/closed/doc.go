// Package closed answers before anything is trained: the minimiser of a quadratic energy in closed form, with a ridge
// regression on top that is solved at once.
//
//	H = f(S) X        f_λ(s) = 1/(1 + λ(1 − s)), the minimiser of ‖H − X‖² + λ tr(Hᵀ(I − S)H)
//	W = argmin ‖Z W − (Y − μ)‖² + ρ‖W‖²        Z: rows of H of labelled nodes, of several channels side by side
//
// A channel describes a node: by its features x, x smoothed (λ > 0) or sharpened over edges, x next to the means of
// neighbours, and its place in the graph. Every channel and every ρ is judged by the leave-one-out answer for every
// labelled node, which comes at no extra cost (Cook 1977):
//
//	ŷ₋ᵢ = yᵢ − αᵢ / Gᵢᵢ        G = (Z Zᵀ + ρI)⁻¹        α = G (Y − μ)
//
// The best few are averaged with the weights that are best left out, and the same left-out answers make probabilities
// (Calibration).
package closed
