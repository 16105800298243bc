// Package durable is the one place that writes files: outputs that are there completely or not at all, a lock for a
// folder that has one writer, and checksums of what a folder holds.
//
//	err := durable.Write("x.csv", durable.Options{Inputs: []string{"in.csv"}, Ours: ours}, write)
//
//	release, err := durable.Lock("runs/cora", nil) // a *Held says who else writes there
//	defer release()
//	err = durable.Sweep("runs/cora")          // what killed processes left
//	…
//	err = durable.Seal("runs/cora")           // SHA256SUMS
//
//	b, err := durable.ReadFile("runs/cora/model.safetensors") // refused where it has changed since
package durable
