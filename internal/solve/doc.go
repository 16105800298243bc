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
package solve
