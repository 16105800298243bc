package baseline

// Jacobi are the exponents of the Jacobi polynomials P_k^(a,b), both above −1.
type Jacobi struct{ A, B float64 }
