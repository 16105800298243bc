package descent

import "github.com/bloomgml/bloom/part"

// Algorithms is the table of algorithms.
var Algorithms = part.Kind[Algorithm]{
	Name: "algorithm", Key: "algorithm", Doc: "the update rule",
	Parts: []part.Part[Algorithm]{
		{Name: "proximal", Text: "proximal gradient descent", New: Proximal(Safe, nil)},
		{Name: "momentum", Text: "averaged momentum", New: Momentum(Safe, nil, 0.9)},
		{Name: "heavy-ball", Text: "Polyak's momentum", New: HeavyBall(Safe, nil, 0.9)},
		{Name: "nesterov", Text: "accelerated descent; FISTA without beta", New: Nesterov(Safe, nil, 0)},
		{Name: "adagrad", Text: "entries divided by the size of all gradients so far", New: AdaGrad(Safe, nil)},
		{Name: "rmsprop", Text: "entries divided by the size of recent gradients",
			New: RMSProp(Safe, nil, 0.9)},
		{Name: "adam", Text: "rmsprop with momentum", New: Adam(Safe, nil, 0.9, 0.999)},
		{Name: "twirls", Text: "what the code of TWIRLS computes, not a descent", New: TWIRLS(Safe)},
		{Name: "reweighted", Text: "proximal, with new weights of edges from a step on",
			New: Attention(Proximal(Safe, nil), 8, 1, 0.2, 0)},
		{Name: "weights", Text: "gradient descent on W of H = XW", New: Weights(Safe)},
		{Name: "rectified", Text: "the residual step of path models, the positive part of a normalised gradient",
			New: Rectified(nil, nil, nil)},
		sign,
	},
}

// StepSizes is the table of rules for γ.
var StepSizes = part.Kind[StepSize]{
	Name: "step size", Doc: "γ, the length of a step", Nil: Fixed(1),
	Parts: []part.Part[StepSize]{
		{Text: "γ itself, refused beyond the bound; training stops where its weights need a shorter step",
			New: Fixed(1)},
		{Name: "safe", Text: "certified: 1/Lip, from the bounds of the terms", New: Safe},
		{Name: "safe-held", Text: "safe, but treated as a constant in gradients", New: HeldStep(Safe)},
		{Name: "backtracking", Text: "halved until the energy does not rise", New: Backtracking(0, 0, 0)},
		{Name: "forced", Text: "γ itself, without checking the bound", New: Forced(2)},
	},
}

// Preconditioners is the table of σ.
var Preconditioners = part.Kind[Preconditioner]{
	Name: "preconditioner", Doc: "σ, which scales steps per node; degree is Jacobi's",
	Parts: []part.Part[Preconditioner]{
		{Name: "none", Text: "1 for every node"},
		{Name: "degree", Text: "Jacobi's: one over half the bound on the curvature", New: Degree},
		{Name: "degree-held", Text: "degree, but treated as a constant in gradients", New: Held(Degree)},
		{Name: "inverse-degree", Text: "one over the degree", New: InverseDegree},
		{Name: "one-sided", Text: "as HALO's code has it, ignoring the norms of matrices", New: OneSided},
		{Name: "one-sided-held", Text: "one-sided, but treated as a constant in gradients", New: Held(OneSided)},
		{Name: "softmax", Text: "what makes a layer softmax attention", New: Softmax(1)},
	},
}
