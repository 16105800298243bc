package energy

import "github.com/bloomgml/bloom/part"

// Penalties is the table of penalties.
var Penalties = part.Kind[Penalty]{
	Name: "penalty", Doc: "ρ, of the difference",
	Parts: []part.Part[Penalty]{
		{Name: "half-squared", Text: "z²/2", New: HalfSquared},
		{Name: "squared", Text: "z²", New: Squared},
		{Name: "log-cosh", Text: "log cosh z", New: LogCosh},
		withThreshold("z²/2 for |z| < t, else t|z| − t²/2", Huber),
		withThreshold("z²/2t for |z| < t, else |z| − t/2", SmoothL1),
		withThreshold("√(z² + t²) − t", Charbonnier),
		withThreshold("t²/2 (1 − exp(−z²/t²)), which is not convex", Welsch),
		withThreshold("t²/2 log(1 + z²/t²), which is not convex", Cauchy),
	},
}

// withThreshold returns the entry of a penalty with a threshold, 1 where a file gives none.
func withThreshold(text string, rho func(t float64) Penalty) part.Part[Penalty] {
	p := rho(1)
	return part.Part[Penalty]{Name: p.Name, Text: text, New: p, Make: func(p Penalty) Penalty { return rho(p.T) }}
}

// Constraints is the table of constraints that are the same on every graph.
var Constraints = part.Kind[Constraint]{
	Name: "eta", Doc: "the constraint on h",
	Parts: []part.Part[Constraint]{
		{Name: "nonnegative", Text: "no entry is below 0", New: NonNegative},
		{Name: "unit-sphere", Text: "rows have norm 1", New: UnitSphere},
		{Name: "ball", Text: "rows have at most this norm", New: Ball(1)},
		{Name: "box", Text: "entries are between two numbers", New: Box(0, 1)},
		{Name: "l1", Text: "the weight of ‖h‖₁, which sets small entries to 0", New: L1(0.1)},
		{Name: "simplex", Text: "rows are probabilities", New: Simplex},
	},
}
