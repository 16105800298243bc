// Package blocks is the form of a data set that need not fit into memory: a folder whose files hold the nodes in blocks
// of rows, each with its neighbours, its features, its classes and its ids, and a checksum for every one of them.
//
//	report, err := blocks.Build("web.bloom", source, blocks.Options{Memory: 4 << 30})
//	s, err := blocks.Open("web.bloom")
//	err = s.Adjacency(0, &a)                 // the neighbours of the nodes of block 0
//
// The graph is undirected, with one relation, without weights, loops and repeats: what separable energies descend on.
// Where it has types of nodes or several relations, these are there as well, see Typed.
// A block is read into memory of the caller and compared with its checksum every time. Files are not mapped: one that
// something else cuts short or changes is then an error with a place, where reading a mapping would end the process.
package blocks
