// Package ad builds matrix expressions and their derivatives, and runs them without allocating.
//
// A Var is an expression, not a number: x.MatMul(w).ReLU() records what is to be computed.
// Derivatives are expressions again, so they can be differentiated once more: a descent step is
// itself a derivative, of the energy, and training differentiates the step.
//
//	y := x.MatMul(w.Var).Square().Sum()
//	dw := ad.Grad(y, w.Var)[0]      // an expression like any other
//	prog := ad.Compile(y, dw)       // plan it once: order, common parts, memory
//	for range epochs {
//		err := prog.Run()           // replay: no allocation
//		update(w.Value(), prog.Value(dw))
//	}
//
// A Program reads its leaves when it runs: parameters and inputs may change between runs, what was given as Const may
// not. Random numbers come from a Clock, whose epoch the caller advances. Expressions that no output needs are never
// computed, so building an expression costs almost nothing.
//
// Loops whose length depends on the data live outside an expression: Stop ends the walk of a derivative, and an Op
// brings its own evaluation and derivative. A Device that records programs has to cut the recording at an Op that looks
// at numbers (TryEval); nothing else in a program needs the host.
package ad
