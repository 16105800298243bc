// Package recipe holds every model of the paper as a literal that reads like its formula:
//
//	// robust:  f = λ/2 ‖h_u − h_v‖²   κ = δ(h − π(x;W))   η = 0   A = gradient descent      (eq:huber_energy)
//	F: []Edge{laplace{Lambda: 1}}, Kappa: []Node{anchor{Rho: energy.Huber(1)}}, A: jacobi, L: 16
//
// A part of a recipe says what it is in two ways: Text is its formula and the message that follows from it, Term is
// the term of package energy, built for a Place: a graph, and the sizes of its rows. Files decode to the same structs.
package recipe
