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
//
// # A descent run once
//
// Settle runs a linear descent on a graph in blocks that need not fit into memory, once and before training.
//
// Where f and κ are quadratic with numbers for weights, and there is no η, L steps of a descent are one linear map P of
// the rows of H, the same for every column:
//
//	H⁽ᴸ⁾ = P π(X; W) = P (X W + 1 b) = (P X) W + (P 1) b
//
// for a linear π. P X and P 1 do not depend on anything that is trained. They are computed some columns at a time
// so that the states of all nodes in these columns fit into memory, while neighbours come from the disk block by
// block; what is kept are the rows of nodes that train, validate and test. On them training needs no graph any more
// (node.Build knows such a set), and has the same loss and derivatives as on all of the graph.
//
// # Mini-batches
//
// Batches are parts of a graph, in memory or on the disk: nodes with neighbours drawn around them once before training,
// so an epoch is a pass over the same parts; or clusters, which every epoch deals to parts again. The states of a node
// in several parts may be tied together (Means), which makes the descents of all parts one energy.
//
// An Excerpt takes such parts of a graph that stays on the disk, with the edges between them, features and classes. Any
// model of features can train on them, which lie in a scratch file meanwhile, and predict all nodes part by part.
//
// One more part, the observed part, is evaluated during training, and the results of a run are about it: labelled
// nodes, as many nodes as memory allows, with neighbours around them, an ordinary data set. If it has few labelled
// nodes, others are evaluated in parts of their own, one after the other (Jury).
//
// # Tables
//
// A TableSource streams a user's tables into blocks: nodes and edges as CSV, JSON lines or Parquet, in any number of
// files, of which the names of nodes and their classes are held in memory, and nothing else.
//
//	src, err := ondisk.OpenTables(ondisk.TableSpec{Nodes: []string{"nodes-*.csv"}, Edges: []string{"edges-*.parquet"},
//		Label: "topic", Scratch: "web.bloom.tmp"})
//	defer src.Close()
//	report, err := ondisk.Build("web.bloom", src, ondisk.Options{})
package ondisk
