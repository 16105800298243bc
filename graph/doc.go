// Package graph holds G = {V, R, E}, the immutable typed multigraph that every energy sums over.
//
// A node is a number 0 ≤ v < |V|, a relation a number 0 ≤ r < |R|, and an edge a triple u –r→ v
// from its source u to its target v. The same graph serves citations (one relation), heterogeneous
// networks (typed nodes, many relations) and knowledge graphs (entities, relations, facts). It is
// a multigraph: parallel edges and self loops are kept unless Spec says otherwise.
//
//	g, err := graph.Build(graph.Spec{
//		Nodes:      3,
//		Triples:    []graph.Triple{{U: 0, V: 1}, {U: 2, V: 1}},
//		Undirected: true,
//	})
//
// # Edges
//
// Edges keep their input order, and that position is the edge's id: Sources, Targets, Relations
// and Weights are arrays over edge ids, ready for gathering rows h_u and h_v. In, Out and
// Adjacency are sparse patterns over the same edges; each entry carries the id of its edge, so
// one array of edge values serves all of them. Rows list neighbours by (neighbour, edge id):
// whatever order a file lists its edges in, sums over a row add the same numbers in the same
// order, except that parallel edges swap among themselves.
//
// # Counting edges
//
// An undirected edge is stored once, in the orientation it was given, and Σ_E counts it once:
//
//	λ/2 Σ_(u,v)∈E ‖h_u − h_v‖² = λ/2 tr(Hᵀ L H),   L = D − A
//
// with A and D as Adjacency and Degrees(Either) give them. Energies whose term differs by
// direction sum both ways by saying so (Both, in package energy), and λ means this everywhere.
// Adjacency lists an undirected edge in the rows of both of its ends.
//
// A self loop of an undirected graph is one entry of A and one of the degree, so it cancels in
// D − A, just as its term ‖h_v − h_v‖² is 0.
//
// # Sharing
//
// A Graph never changes after Build and is safe for concurrent use. Patterns are made when first
// asked for and then kept. Slices that its methods return without copying belong to the graph:
// they are for reading.
package graph
