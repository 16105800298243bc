package ondisk

import "github.com/bloomgml/bloom/mat"

// Source yields a graph: its edges, in any order, and the data of every node. It may hold as much of that in memory as
// it likes; a generator holds nothing.
type Source interface {
	// Info describes the set. Edges is an estimate, 0 if unknown; Order is ignored.
	Info() Info
	// Pairs yields all edges, until yield returns an error, which Pairs returns. Self-loops and duplicates, also in
	// reverse, are dropped.
	Pairs(yield func(u, v int32) error) error
	// Row writes the features of node v into x, whose length is the number of columns.
	Row(v int32, x []mat.Real) error
	// Label returns the class of node v, −1 for none, and writes its part of every split into parts.
	Label(v int32, parts []Part) int32
	// ID returns the id of node v, if nodes have ids.
	ID(v int32) string
}
