// Package solve has the iterations that minimise a function, once each: conjugate gradients and the momentum of
// accelerated gradients.
//
// Conjugate knows the recurrence and nothing of vectors: a Problem has those, on a device, on the host, or in blocks on
// the disk. Linear is the Problem Mx = b for vectors of a Space:
//
//	s, err := solve.NewFloats(n, func(dst, v []float64) error { … }).Solve(x, b, 1e-12, 1000)
package solve
