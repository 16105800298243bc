package recipe

import (
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// jacobi is proximal gradient descent with Jacobi's preconditioner: every γ in (0, 1] descends if η is convex.
var jacobi = descent.Proximal(descent.Fixed(1), descent.Degree)

// squared is κ = ½ ‖h − π(x; W)‖².
var squared = []Node{anchor{Rho: energy.HalfSquared}}

// The models of node features.
var features = []*Recipe{
	// f = λ/2 ‖h_u − h_v‖²   κ = ½ ‖h − π(x;W)‖²   η = 0   A = gradient descent   (eq:quad_example_energy)
	{Name: "base", Summary: "neighbours agree; every node stays near its own features",
		Source: "eq:quad_example_energy",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: squared, A: jacobi, L: 16},

	// f = λ/2 ‖h_u/√d_u − h_v/√d_v‖²   κ = ½ ‖h − π(x;W)‖²   η = 0   A = gradient descent
	//
	// Not in the paper: its settings have the loss of Feng et al., GRAND, arXiv 2005.11079, which is a part of ℓ_up.
	{Name: "consistent", Summary: "base for few labels: draws of dropout are to agree, on nodes without labels too",
		Source: "arXiv 2005.11079",
		F:      []Edge{laplace{5, graph.Symmetric}}, Kappa: squared, A: jacobi, L: 8},

	// f = λ/2 ‖h_u − h_v‖²   κ = δ(h − π(x;W))   η = 0   A = gradient descent   (eq:huber_energy)
	{Name: "robust", Summary: "base with a Huber penalty: nodes with bad features have limited influence",
		Source: "eq:huber_energy",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: []Node{anchor{Rho: energy.Huber(1)}}, A: jacobi, L: 16},

	// f = λ/2 ‖h_u − h_v‖²   κ = Σ log cosh(h − π(x;W))   η = 0   A = gradient descent   (eq:logcosh_basic_definition)
	{Name: "robust-logcosh", Summary: "base with a log-cosh penalty, smooth where Huber has a kink",
		Source: "eq:logcosh_basic_definition",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: []Node{anchor{Rho: energy.LogCosh}}, A: jacobi, L: 16},

	// f = λ/2 ‖h_u C − h_v‖²   κ = ½ ‖h − π(x;W)‖²   η = I∞[h < 0]   A = proximal gradient
	//   (eq:huber_energy2, without Huber)
	//
	// Deviation: the paper has λ‖h_u C − h_v‖² and ‖h − π‖² here; the halves make λ mean the same in all recipes.
	{Name: "heterophily", Summary: "a neighbour need not be equal, but predicts the other through C",
		Source: "eq:huber_energy2",
		F:      []Edge{compat{Rho: energy.HalfSquared, Lambda: 1}}, Kappa: squared, Eta: always{energy.NonNegative},
		A: jacobi, L: 8},

	// f = λ/2 ‖h_u C − h_v‖²   κ = δ(h − π(x;W))   η = I∞[h < 0]   A = proximal gradient   (eq:huber_energy2)
	{Name: "heterophily-huber", Summary: "heterophily in which bad features have limited influence",
		Source: "eq:huber_energy2",
		F:      []Edge{compat{Rho: energy.HalfSquared, Lambda: 1}}, Kappa: []Node{anchor{Rho: energy.Huber(1)}},
		Eta: always{energy.NonNegative}, A: jacobi, L: 8},

	// f = λ/2 δ(h_u − h_v)   κ = ½ ‖h − π(x;W)‖²   η = 0   A = gradient descent   (fig:norm_dist)
	{Name: "heterophily-edge", Summary: "a Huber penalty on edges: neighbours may differ", Source: "fig:norm_dist",
		F: []Edge{difference{energy.Huber(1), 0.5}}, Kappa: squared, A: jacobi, L: 16},
}

// Rows that are turned before they are compared.
var bundles = []*Recipe{
	// f = λ/2 ‖h_u O_u/√d_u − h_v O_v/√d_v‖²   κ = ½ ‖h − π(x;W)‖²   η = 0   A = gradient descent
	//
	// Not in the paper: Bamberger et al., Bundle Neural Networks, arXiv 2405.15540, as an energy.
	{Name: "bundle", Summary: "neighbours agree after each node has rotated its row, by angles from its features",
		Source: "arXiv 2405.15540",
		F:      []Edge{bundle{1, graph.Symmetric}}, Kappa: squared, A: jacobi, L: 8},
}

// Stacked energies, each with its own parameters: the recipe is one level. The number of levels, and what is between
// them, are settings of training.
var stacks = []*Recipe{
	// f = λ/2 ‖h_u O_u/√d_u − h_v O_v/√d_v‖²   κ = ½ ‖h − π(z;W)‖²   η = 0   A = gradient descent
	{Name: "stack-bundle", Summary: "a stack of bundles, each on what the one below found", Source: "arXiv 2405.15540",
		F: []Edge{bundle{1, graph.Symmetric}}, Kappa: squared, A: jacobi, L: 1},

	// f = λ/2 ‖h_u C − h_v‖²   κ = ½ ‖h − π(z;W)‖²   η = 0   A = gradient descent
	{Name: "stack-compat", Summary: "a stack of compatibility energies, each on what the one below found",
		Source: "eq:huber_energy2",
		F:      []Edge{compat{Rho: energy.HalfSquared, Lambda: 1}}, Kappa: squared, A: jacobi, L: 1},

	// f = λ/2 ‖h_u/√d_u − h_v/√d_v‖²   κ = ½ ‖h − π(z;W)‖²   η = 0   A = gradient descent
	{Name: "stack-laplace", Summary: "a stack of base energies, each on what the one below found",
		Source: "eq:quad_example_energy",
		F:      []Edge{laplace{1, graph.Symmetric}}, Kappa: squared, A: jacobi, L: 2},
}

// The base energy with faster algorithms.
var accelerated = []*Recipe{
	// base   A: s ← βs + (1−β)∇, h ← h − γs   (eq:momentum_update_fuction)
	{Name: "momentum", Summary: "base with averaged momentum", Source: "eq:momentum_update_fuction",
		F:     []Edge{laplace{Lambda: 1}},
		Kappa: squared, A: descent.Momentum(descent.Fixed(1), descent.Degree, 0.3), L: 16},

	// base   A: s ← βs + ∇, h ← h − γs   (sec: momentum)
	{Name: "heavy-ball", Summary: "base with Polyak's momentum", Source: "sec: momentum", F: []Edge{laplace{Lambda: 1}},
		Kappa: squared, A: descent.HeavyBall(descent.Fixed(1), descent.Degree, 0.3), L: 16},

	// base   A: s ← s + ∇², h ← h − γ∇/(√s + ε)   (sec: adagrad)
	{Name: "adagrad", Summary: "base with AdaGrad", Source: "sec: adagrad", F: []Edge{laplace{Lambda: 1}},
		Kappa: squared, A: descent.WithEps(descent.AdaGrad(descent.Fixed(0.2), nil), 0.002), L: 16},

	// base   A: s ← βs + (1−β)∇², h ← h − γ∇/(√s + ε)   (sec: adagrad)
	{Name: "rmsprop", Summary: "base with RMSProp", Source: "sec: adagrad", F: []Edge{laplace{Lambda: 1}},
		Kappa: squared, A: descent.RMSProp(descent.Fixed(0.1), nil, 0.9), L: 16},

	// base   A: m ← β₁m + (1−β₁)∇, w ← β₂w + (1−β₂)∇², h ← h − γm̂/(√ŵ + ε)   (sec: adagrad)
	{Name: "adam", Summary: "base with Adam", Source: "sec: adagrad", F: []Edge{laplace{Lambda: 1}},
		Kappa: squared, A: descent.WithEps(descent.Adam(descent.Fixed(0.1), nil, 0.9, 0.999), 0.01), L: 16},

	// f = −τ exp(−‖h_u − h_v‖²/2τ)   κ = ½ ‖h − π(x;W)‖²   η = 0   σ = 1/(1 + Σ_u k_uv)
	//   (prop:general_mp_representation)
	//
	// Chosen: with this κ a step of γ = 1 is (π_v + Σ_u k_uv h_u)/(1 + Σ_u k_uv): attention to neighbours and own
	// features.
	{Name: "attention", Summary: "softmax attention to similar neighbours",
		Source: "prop:general_mp_representation",
		F:      []Edge{attract{4}}, Kappa: squared,
		A: descent.Proximal(descent.Fixed(1), descent.Softmax(4)), L: 8},

	// base A: gradient descent; from layer L/2 on edges weigh 1/max(q^(1−p/2), τ), q = ‖h_u − h_v‖²
	// (prop:general_mp_representation)
	//
	// Chosen: p = 1 and τ = 0.2; the paper leaves the attention of TWIRLS out of its experiments.
	{Name: "reweighting", Summary: "base whose edges weigh less where ends differ, the attention of TWIRLS",
		Source: "prop:general_mp_representation",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: squared,
		A: descent.Attention(jacobi, 8, 1, 0.2, 0), L: 16},
}

// Recipes with constraints instead of layer norm.
var constrained = []*Recipe{
	// f = λ/2 ‖h_u − h_v‖²   κ = ½ ‖h − π(x;W)‖²   η = I∞[‖h‖ ≠ 1]   A = proximal gradient   (fig: layernorm)
	{Name: "unit-norm", Summary: "base with rows of norm 1, enforced by the prox", Source: "fig: layernorm",
		F:     []Edge{laplace{Lambda: 1}},
		Kappa: squared, Eta: always{energy.UnitSphere},
		A: descent.Proximal(descent.Fixed(0.5), descent.Degree), L: 16},

	// f = λ/2 ‖h_u − h_v‖² κ = ½ ‖h − π(x;W)‖² + α (‖h‖² − 1)² η = 0 A = gradient descent, backtracking (fig:
	// layernorm)
	{Name: "unit-norm-penalty", Summary: "base with rows pulled to norm 1 by a penalty", Source: "fig: layernorm",
		F:     []Edge{laplace{Lambda: 1}},
		Kappa: append(squared[:1:1], unitNorm{1}), A: descent.Proximal(descent.Backtracking(0, 0, 0), nil), L: 16},
}

// Label propagation and graph-regularised MLPs.
var labels = []*Recipe{
	// f = ½ ‖h_u − h_v‖² κ = 0 η = I∞[h ≠ y] where labelled σ = D⁻¹ A = proximal gradient: H ← P[D⁻¹AH]
	// (eq:LP_update_general)
	//
	// With η, κ is not needed, as the paper says; without it the limit λ → ∞, γ → 0 with λγ → 1 is taken by γ = 1.
	{Name: "lp", Summary: "label propagation: means over neighbours, and labels that stay",
		Source: "eq:LP_update_general", F: []Edge{laplace{Lambda: 1}},
		Eta: Clamp, A: descent.Proximal(descent.Fixed(1), descent.InverseDegree), L: 16},

	// f = λ/2 ‖h_u − h_v‖²   κ = ½ ‖h − ȳ‖²   η = 0   A = gradient descent   (eq: energy_lp, without η)
	//
	// Deviation: the paper's LP energy lacks the halves, which only rescales γ.
	{Name: "lp-free", Summary: "label propagation without projection: labels pull, and may be overruled",
		Source: "eq: energy_lp",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: []Node{labelled{energy.HalfSquared}}, A: jacobi, L: 16},

	// f = λ/2 ‖h_u/√d_u − h_v/√d_v‖² κ = ½ ‖h − ȳ‖² η = 0 γ = 1/(1+λ): H ← a S H + (1−a) Ȳ, a = λ/(1+λ)
	// (eq:LP_update_general)
	{Name: "lp-zhou", Summary: "label propagation of Zhou et al.: normalised, labels pull",
		Source: "eq:LP_update_general",
		F:      []Edge{laplace{Lambda: 9, Norm: graph.Symmetric}}, Kappa: []Node{labelled{energy.HalfSquared}},
		A: descent.Proximal(descent.Fixed(0.1), nil), L: 16},

	// f = λ/2 ‖h_u C − h_v‖²   κ = ½ ‖h − ȳ‖²   η = 0   A = gradient descent; C, c×c, and λ trained   (sec:LP)
	//
	// Chosen: the paper says that the energy can be given parameters, not which; C says which classes meet which.
	{Name: "lp-trained", Summary: "label propagation with trained compatibility of classes, on samples of the labels",
		Source: "sec:LP",
		F:      []Edge{compat{Rho: energy.HalfSquared, Lambda: 1}},
		Kappa:  []Node{labelled{energy.HalfSquared}}, A: jacobi, L: 16},

	// f = λ/2 ‖h_u − h_v‖²   κ = ½ ‖h − ȳ‖²   η = I∞[H ∉ range(X)]   A = proximal gradient   (eq:L_low_for_GR_MLP)
	{Name: "gr-mlp", Summary: "a graph-regularised linear model, as steps on its outputs",
		Source: "eq:L_low_for_GR_MLP",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: []Node{labelled{energy.HalfSquared}}, Eta: Range,
		A: descent.Proximal(descent.Safe, nil), L: 32},

	// f = λ/2 ‖h_u − h_v‖²   κ = ½ ‖h − ȳ‖²   H = XW   A: W ← W − γXᵀ∇   (eq: gmlp_update)
	{Name: "gr-mlp-weights", Summary: "a graph-regularised linear model, as gradient steps on its weights",
		Source: "eq: gmlp_update",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: []Node{labelled{energy.HalfSquared}},
		A: descent.Weights(descent.Safe), L: 32},

	// f = λ/2 ‖h_u − h_v‖²   κ = ½ ‖h − ȳ‖²   η = I∞[H ∉ range(X)] = 0   A = gradient descent
	//   (eq:L_low_for_GR_MLP, d = n)
	//
	// With as many features as nodes, X padded and orthonormal, X Xᵀ = I: steps on W and projected steps on H are both
	// plain steps on H, which is lp-free without σ.
	{Name: "gr-mlp-wide", Summary: "gr-mlp with as many features as nodes, which is label propagation",
		Source: "eq:L_low_for_GR_MLP",
		F:      []Edge{laplace{Lambda: 1}}, Kappa: []Node{labelled{energy.HalfSquared}},
		A: descent.Proximal(descent.Safe, nil), L: 32},
}

// Heterogeneous graphs.
var typed = []*Recipe{
	// f = λ/2 ‖h_u C_r − h_v‖²   κ = ½ ‖h − π(x;W)‖²   η = I∞[h < 0]   A = proximal gradient   (tab: halo)
	{Name: "halo", Summary: "heterogeneous graphs: a matrix for every relation and its inverse", Source: "tab: halo",
		F: []Edge{relational{energy.HalfSquared, 1}}, Kappa: squared, Eta: always{energy.NonNegative}, A: jacobi, L: 8},

	// f = λ/2 ‖h_u C_r − h_v‖²   κ = δ(h − π(x;W))   η = I∞[h < 0]   A = proximal gradient   (tab: halo)
	{Name: "halo-huber", Summary: "halo with a Huber penalty", Source: "tab: halo",
		F: []Edge{relational{energy.HalfSquared, 1}}, Kappa: []Node{anchor{Rho: energy.Huber(1)}},
		Eta: always{energy.NonNegative}, A: jacobi, L: 8},

	// f = λ/2 ‖h_u C_r − h_v‖²   κ = Σ log cosh(h − π(x;W))   η = I∞[h < 0]   A = proximal gradient   (tab: halo)
	{Name: "halo-logcosh", Summary: "halo with a log-cosh penalty", Source: "tab: halo",
		F: []Edge{relational{energy.HalfSquared, 1}}, Kappa: []Node{anchor{Rho: energy.LogCosh}},
		Eta: always{energy.NonNegative}, A: jacobi, L: 8},
}

// backtracking is proximal gradient descent for energies without a bound.
var backtracking = descent.Proximal(descent.Backtracking(0, 0, 0), nil)

// Knowledge graph embeddings; κ and η are 0. The paper's sign of f is turned, see energy.Score.
var knowledge = []*Recipe{
	// f = softplus(∓s)   s = m − ‖h_u + e_r − h_v‖²   A = gradient descent   (eq:BloomGML_kge_model)
	{Name: "transe", Summary: "knowledge graph: relations are translations", Source: "eq:BloomGML_kge_model",
		F: []Edge{score{energy.TransE(energy.NormSquared, 0), 6}},
		A: descent.Proximal(descent.Fixed(1), descent.Degree), L: 16},

	// f = softplus(∓s)   s = Σ h_u ∘ e_r ∘ h_v   A = gradient descent, backtracking   (eq:BloomGML_kge_model)
	{Name: "distmult", Summary: "knowledge graph: relations are scalings", Source: "eq:BloomGML_kge_model",
		F: []Edge{score{energy.DistMult, 0}}, A: backtracking, L: 16},

	// f = softplus(∓s)   s = Re Σ h_u ∘ e_r ∘ h̄_v   A = gradient descent, backtracking   (eq:BloomGML_kge_model)
	{Name: "complex", Summary: "knowledge graph: relations are complex scalings", Source: "eq:BloomGML_kge_model",
		F: []Edge{score{energy.ComplEx, 0}}, A: backtracking, L: 16},

	// f = softplus(∓s)   s = m − ‖h_u ∘ exp(iθ_r) − h_v‖²   A = gradient descent, backtracking
	//   (eq:BloomGML_kge_model)
	{Name: "rotate", Summary: "knowledge graph: relations are rotations", Source: "eq:BloomGML_kge_model",
		F: []Edge{score{energy.RotatE(energy.NormSquared, 0), 6}}, A: backtracking, L: 16},
}

// bilevel returns the same scores under the names by which training knows to train the relations alone, H following
// by the steps of the descent. Under the plain names H and E are trained together. What loss facts and false ones
// have is a setting of training, see kg.NewEnergy.
func bilevel() []*Recipe {
	var list []*Recipe
	for _, r := range knowledge {
		c := *r
		c.Name += "-bilevel"
		c.Summary += "; entities follow by descent"
		c.A, c.L = descent.AdaGrad(descent.Fixed(0.2), nil), 5
		list = append(list, &c)
	}
	return list
}

// Path-based completion.
var paths = []*Recipe{
	// f = −⟨h_v, (h̄_u ∘ e_r) Φ⟩   κ = −⟨h_v, x_v Φ⟩ − ⟨h_v, h̄_v Ψ⟩   η = 0   A: h ← h + relu(norm(b − ∇))
	//   (sec: nbfnet)
	//
	// Every node steps down its own part, what it receives being held: NBFNet with weights that all layers share, as
	// the paper's experiments have it. Deviation: the paper's energy is the case of symmetric Φ and Ψ, messages h_u +
	// e_r and η = I∞[h < 0] (eq: energy_nbf_phi), see energy.Path. Other messages and aggregates are PathModel.
	{Name: "path", Summary: "inductive completion by sums over paths, as NBFNet", Source: "sec: nbfnet",
		F: []Edge{receivedEdges{"distmult"}}, Kappa: []Node{receivedNodes{}},
		A: descent.Rectified(nil, nil, nil), L: 6},

	// The same f, κ and A, on the graph of relations first and then on the facts, with weights of every layer's own:
	// x is 1 at the relation of the question, e_r a vector for each of four kinds of edges; then x is the row of the
	// relation that this ends with at the head, and e_r a network of the row of r. No weight belongs to a relation or
	// an entity.
	{Name: "zero", Source: "Galkin et al. 2024",
		Summary: "answers about any knowledge graph without training, as ULTRA",
		F:       []Edge{receivedEdges{"distmult"}}, Kappa: []Node{receivedNodes{}},
		A: descent.Rectified(nil, nil, nil), L: 6},
}
