// Package audit ranks what is probably wrong in a graph data set: rows of features, classes of nodes, and edges, each
// apart, with the probability of being wrong and what to blame.
//
//	r, err := audit.Run(audit.Data{Graph: g, Rows: x, Class: y, Classes: 7}, audit.Options{})
//	for _, l := range r.Labels[:10] {
//		fmt.Println(l.Node, l.Given, l.Proposed, l.Probability)
//	}
//
// # What is compared
//
// A thing is judged by a likelihood ratio between what is observed of it, and what would be observed if it were wrong;
// and nothing about it is used to judge it. The observations are energies. A quadratic upper level (quadratic) has its
// minimum in closed form, and so has the same level without one node: it predicts a node's class from its row, from
// its neighbourhood and from both, and the row from the neighbourhood, column by column, none of them having seen it.
// If rows are wide, the few numbers that they are reduced to come from the rows of other nodes (code).
//
// Computing the same terms as if the thing were wrong needs no second training either: the class is exchanged for
// another, the row for another node's or for one that a fault made (shuffled, noise, …), the edge for a random pair.
// These counterfactuals, one of each for every thing, are distinguished from things as they are by a small network
// (detector), which has not seen the thing that it judges. A second network learns without the things that the first
// finds wrong.
//
// Rows whose size is far from the usual, such as noise among words, are judged like others and are not examples of
// what is right (usualRows): were a fifth of the rows noise, noise would be usual.
//
// # Probabilities
//
// The network gives likelihood ratios; how many things are wrong, and in which way, follows from how many look like
// it (shares). Ratios and shares make the probability of being wrong, by which things are ranked.
//
// # Cost
//
// For n nodes, m edges, z entries of features and K classes: rows are reduced to p ≤ 128 numbers (64 from 50,000 nodes
// on), so that upper levels take n (3p + 2K)² + (3p + 2K)³ operations, twice if rows are reduced; codes take z p;
// terms z, p and K for every node and its neighbours, and p + K for every edge and its ends' neighbours; networks a
// constant, as they learn from at most 20,000 examples of each kind. Memory is a few times n (3p + 2K) numbers.
//
// Everything is a function of the data and the seed, whatever the number of threads.
//
// # What is in a set
//
// Describe says what is in a data set without training on it: counts, degrees, homophily, and signs that its test is
// easier than it seems.
//
//	about := audit.Describe(d)
//	about.Homophily.Adjusted, about.Warnings
package audit
