// Package descent holds the algorithms A that minimise the lower level. L steps of one are the L layers
// of a network:
//
//	H⁽ˡ⁾ = A[ℓ_low, H⁽ˡ⁻¹⁾]
//
// An algorithm is a value; what it remembers between steps is in the State that it passes along.
package descent
