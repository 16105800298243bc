// Package certify bounds what changes of the edges of a graph can do to the answers for its nodes (Bojchevski and
// Günnemann, Certifiable Robustness to Graph Perturbations, 2019).
//
// The margin between two classes is the value v of a rule that every node follows, as in the minimiser of the base
// energy,
//
//	v_u = (r_u + λ Σ_{w ∈ N(u)} v_w) / (1 + λ |N(u)|)        r = π(X) (W_a − W_b)
//
// An adversary chooses the row N(u) of every node, with at most b_u changes of it. That is a Markov decision process:
//
//	Exact    the worst value of every node at once, by policy iteration; attained if rows may change one by one
//	Steps    a lower bound of the value after L steps of a descent, which are L steps of value iteration
//
// A change of an undirected edge is a change of two rows, so both bounds are conservative for undirected graphs.
// A node whose worst margin against every other class is positive keeps its class.
package certify
