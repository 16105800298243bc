// Package files reads and writes files.
//
// Errors have the file, the place in it and what is wrong there:
//
//	return files.ErrorAt(path, line, "weight is %q, want a number", text)
//
// Text, compressed or not, is read line by line or as a table, within limits. What a reader allocates is first taken
// from a budget, so that a small file (a size in a header, a compressed stream) cannot ask for all of the memory:
//
//	b := files.NewBudget()
//	b.Admit(path, size)
//	if err := b.Take(rows*cols*4, "features"); err != nil { … }
//
// An output exists completely or not at all. A folder has one writer at a time, and checksums of what it holds:
//
//	err := files.Write("x.csv", files.WriteOptions{Inputs: []string{"in.csv"}, Ours: ours}, write)
//
//	release, err := files.Lock("runs/cora", nil) // a *Held says who else writes there
//	defer release()
//	err = files.Sweep("runs/cora")               // removes what killed processes left
//	…
//	err = files.Seal("runs/cora")                // SHA256SUMS
//	b, err := files.Read("runs/cora/model.safetensors") // refuses a file that has changed since
//
//	j, err := files.OpenJournal("runs/cora/edits.journal", read) // refuses a line that is not what was written
//	err = j.Append(text)                                         // on the disk when it returns
package files
