// Package durable is the one place that writes files: outputs that are there completely or not at all, a lock for a
// folder that has one writer, checksums of what a folder holds, and journals that grow by lines.
//
//	err := durable.Write("x.csv", durable.Options{Inputs: []string{"in.csv"}, Ours: ours}, write)
//
//	release, err := durable.Lock("runs/cora", nil) // a *Held says who else writes there
//	defer release()
//	err = durable.Sweep("runs/cora")          // what killed processes left
//	…
//	err = durable.Seal("runs/cora")           // SHA256SUMS
//
//	j, err := durable.OpenJournal("runs/cora/edits.journal", read) // refused where a line is not what was written
//	err = j.Append(text)                                           // on the disk when it returns
//
//	b, err := durable.ReadFile("runs/cora/model.safetensors") // refused where it has changed since
package durable
