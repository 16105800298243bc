// Package ondisk is the form of a data set that need not fit into memory: a folder whose files hold the nodes in blocks
// of rows, each with its neighbours, its features, its classes and its ids, and a checksum for every one of them.
//
//	report, err := ondisk.Build("web.bloom", source, ondisk.Options{Memory: 4 << 30})
//	s, err := ondisk.Open("web.bloom")
//	err = s.Adjacency(0, &a)                 // the neighbours of the nodes of block 0
//
// The graph is undirected, with one relation, without weights, loops and duplicates: what separable energies descend
// on. Where it has types of nodes or several relations, these are there as well, see Typed.
// A block is read into memory of the caller and compared with its checksum every time. Files are not mapped: one that
// something else cuts short or changes is then an error with a place, where reading a mapping would end the process.
//
// A Queue reads the next blocks while one is computed with, a Walk visits all of them for steps of a separable descent,
// and a Scratch is a file for what does not fit into memory, of which nothing is left when the process ends.
package ondisk
