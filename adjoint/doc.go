// Package adjoint decides how a descent is differentiated. The three ways give the same forward pass and,
// as far as each applies, the same gradient:
//
//	Unrolled      through all L steps; memory grows with L
//	Checkpointed  the same numbers, with a few layers kept and the others computed again
//	Implicit      at the fixed point, by one linear solve; memory does not depend on L
//
// They are values of one interface: one field of a model switches between them.
package adjoint
