package ondisk

import "github.com/bloomgml/bloom/mat"

// Source is a graph that is told: its edges, in any order, and of every node what is known about it. It holds as
// much of that as it likes; a generator nothing.
type Source interface {
	// Info says what there will be. Edges is a guess, 0 where there is none; Order is not looked at.
	Info() Info
	// Origin says in lines what the graph is told from: sources of equal lines tell the same graph, with edges in the
	// same order.
	Origin() []string
	// Pairs yields the edges after the first told ones until there are no more, or yield returns an error, which it
	// returns. Loops and repeats, also the other way round, are dropped.
	Pairs(told int64, yield func(u, v int32) error) error
	// Row writes the features of node v into x, which has as many numbers as there are columns.
	Row(v int32, x []mat.Real) error
	// Label is the class of node v, −1 for none; parts gets its part of every split.
	Label(v int32, parts []Part) int32
	// ID is the id of node v, where nodes have some.
	ID(v int32) string
}
