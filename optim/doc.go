// Package optim is the outer optimisers: how parameters move against the gradients of ℓ_up. There is one of each for
// all models: the rule, the schedule of its rate, and clipping.
//
//	o, err := optim.New(optim.Config{Rule: "adam", Rate: 0.01}, params, nil)
//	o.Step(grads, o.RateAt(epoch, epochs))
//
// Everything an optimiser remembers is in matrices besides the parameters; Memory names them, so that a checkpoint can
// keep them.
package optim
