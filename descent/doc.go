// Package descent holds the algorithms A that minimise the lower level. L steps of one are the L layers
// of a network:
//
//	H⁽ˡ⁾ = A[ℓ_low, H⁽ˡ⁻¹⁾]
//
// An algorithm is a value; what it remembers between steps is in the State that it passes along. Most have a step size
// γ and a preconditioner σ, a number per node:
//
//	a := descent.Momentum(descent.Safe, descent.Degree, 0.9)
//	h := descent.Run(a, lower, h0, 16).H
//
//	algorithm  Proximal, Momentum, HeavyBall, Nesterov, AdaGrad, RMSProp, Adam, Sign, Rectified, TWIRLS, Weights,
//	           Attention (around another)
//	γ          Fixed, Forced, Trained, Safe, Backtracking
//	σ          nil for 1, Degree, InverseDegree, OneSided, Softmax
//
// Check says whether an algorithm can work on an energy, before anything is built; Guard stops a program whose H
// is not finite any more; Plan recognises a descent that can run as one operation.
package descent
