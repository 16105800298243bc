package recipe

import "slices"

// Key is a key of a file that describes an energy, for help, schemas and comments.
type Key struct {
	Path   string   // as f.lambda
	Doc    string   // one line for people
	Words  []string // the words it takes; nil where it takes others too
	Number bool     // whether it takes a number
}

// Keys are all keys, each after the one it stands in. Which of them a part takes depends on its term, its penalty
// or its algorithm.
func Keys() []Key {
	return []Key{
		{Path: "name", Doc: "of this energy, for reports"},
		{Path: "summary", Doc: "one line for people"},
		{Path: "source", Doc: "where the formula comes from"},
		{Path: "f", Doc: "the energy of an edge: one term, or a list of terms that are added"},
		{Path: "f.term", Doc: "what the term is; bloom energy shows its formula", Words: edgeNames},
		{Path: "f.lambda", Doc: "λ, the weight of the term", Number: true},
		{Path: "f.norm", Doc: "symmetric divides rows by √degree", Words: normNames},
		{Path: "f.penalty", Doc: "ρ, of the difference", Words: penalties},
		{Path: "f.threshold", Doc: "where ρ begins to grow more slowly", Number: true},
		{Path: "f.tau", Doc: "τ, the reach of attraction", Number: true},
		{Path: "f.margin", Doc: "m, the score of a perfect triple", Number: true},
		{Path: "kappa", Doc: "the energy of a node: one term, or a list of terms that are added"},
		{Path: "kappa.anchor", Doc: "ρ(h − π(x; W)): the penalty for leaving one's own features", Words: penalties},
		{Path: "kappa.labels", Doc: "ρ(h − ȳ): the penalty for leaving one's label", Words: penalties},
		{Path: "kappa.unit-norm", Doc: "α of α(‖h‖² − 1)²", Number: true},
		{Path: "kappa.scale", Doc: "s of ρ(h − s π(x; W)); λ makes anchor that of HALO's code", Number: true},
		{Path: "kappa.threshold", Doc: "where ρ begins to grow more slowly", Number: true},
		{Path: "eta", Doc: "what is required of h: none, nonnegative, unit-sphere, labels, range, {ball: 1}, {box: [0, 1]} or {l1: 0.1}", Words: etas},
		{Path: "descent", Doc: "how the energy is descended"},
		{Path: "descent.algorithm", Doc: "the rule of a step", Words: algorithmNames},
		{Path: "descent.gamma", Doc: "γ: a number, safe (certified), backtracking, or {forced: 2}, which asks no bound", Words: gammaNames, Number: true},
		{Path: "descent.sigma", Doc: "σ, which scales steps per node; degree is Jacobi's", Words: sigmaNames},
		{Path: "descent.tau", Doc: "τ of sigma: softmax", Number: true},
		{Path: "descent.beta", Doc: "β, how much of the past is kept; 0 of nesterov is FISTA's rule", Number: true},
		{Path: "descent.beta1", Doc: "β₁ of adam, for gradients", Number: true},
		{Path: "descent.beta2", Doc: "β₂ of adam, for their squares", Number: true},
		{Path: "descent.at", Doc: "the step from which reweighted edges have their new weights", Number: true},
		{Path: "descent.p", Doc: "p: edges weigh 1/max(q^(1−p/2), floor), q the squared distance of their ends", Number: true},
		{Path: "descent.floor", Doc: "what q^(1−p/2) is at least", Number: true},
		{Path: "descent.cut", Doc: "edges with q^(1−p/2) above it are cut; 0 cuts none", Number: true},
		{Path: "steps", Doc: "L, the steps of the descent, and so the layers", Number: true},
	}
}

// The words of keys that have no table of their own.
var (
	normNames  = []string{"none", "symmetric"}
	gammaNames = []string{"safe", "backtracking"}
	sigmaNames = []string{"none", "degree", "inverse-degree", "one-sided", "softmax"}
)

// numbered are the etas that need a number.
var numbered = []string{"ball", "box", "l1"}

// etaNames are all names of η.
func etaNames() []string { return slices.Concat(etas, numbered) }
