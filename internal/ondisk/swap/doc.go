// Package swap trains embeddings of more entities than there is memory for. The rows of entities, with what the
// optimiser remembers of them, lie in p parts on the disk, of which c are in memory at a time; relations stay there.
// Facts lie in p×p buckets, by the parts of their ends, and are trained on while both parts are in memory. The order of
// buckets saves reads of parts (BETA of Marius, Mohoney et al. 2021).
//
//	f, err := swap.Create(dir, swap.Plan{Entities: n, Relations: r, Facts: m, Dim: 64, Parts: 8, Buffer: 4}, source)
//	defer f.Close()
//	t, err := f.Trainer(config)     // a train.Trainer
//
// A part that leaves memory is written to a new file, and no file is ever changed: the parts of a checkpoint and of the
// best epoch are lists of files, and go when nothing names them.
package swap
