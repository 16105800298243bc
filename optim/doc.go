// Package optim holds the outer optimisers: how parameters move against the gradients of ℓ_up. There is one of each for
// all models: the rule, the schedule of its rate, and clipping.
//
//	o, err := optim.New(optim.Config{Rule: "adam", Rate: 0.01}, params, nil)
//	o.Step(grads, o.RateAt(epoch, epochs))
//
// Everything an optimiser remembers is in matrices next to the parameters; Memory names them, so a checkpoint can keep
// them.
package optim
