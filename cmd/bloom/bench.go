package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/workload"
)

// bench is the command that measures the performance workloads.
type bench struct {
	only   string
	json   bool
	growth bool
	plan   workload.Plan
}

func newBench() *cobra.Command {
	b := &bench{}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure training epochs on the performance workloads",
		Long: `Measure training epochs on the performance workloads.

A workload is a shape (cora, pubmed, roman, tolokers, arxiv) with an energy (base, huber, hetero) or the
gcn baseline, on generated data. An epoch is forward, backward and Adam on the full batch. Shown are the
median seconds of an epoch, heap allocations in one, and the peak memory of the process.

Knowledge graphs (distmult, path-sum, path-pna) have epochs of hundreds of batches: some batches are
measured, and the median is multiplied by their number.`,
		Example: `  bloom bench --only cora
  bloom bench --only arxiv/base --threads 2 --json
  bloom bench --only path-pna
  bloom bench --growth`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&b.only, "only", "", "a shape, an energy, shape/energy, or a knowledge graph")
	f.BoolVar(&b.json, "json", false, "print one JSON object a workload")
	f.BoolVar(&b.growth, "growth", false, "measure graphs of 10k to 10M edges instead")
	f.IntVar(&b.plan.Epochs, "epochs", 0, "epochs, or batches of a knowledge graph, to measure; 0 for as many as "+
		"take two seconds")
	return cmd
}

func (b *bench) run(cmd *cobra.Command) error {
	ids, err := workload.Select(b.only)
	if b.growth {
		ids, err = workload.Growth(), nil
	}
	if err != nil {
		return usage(cmd, "%v", err)
	}
	if b.plan.Epochs < 0 {
		return usage(cmd, "--epochs is %d, want 0 or more", b.plan.Epochs)
	}
	return b.measure(cmd.Context(), ids, cmd.OutOrStdout())
}

// measure prints a line a workload as it is done.
func (b *bench) measure(ctx context.Context, ids []workload.ID, w io.Writer) error {
	if !b.json {
		fmt.Fprintf(w, "%-18s %7s %12s %8s %10s %12s\n", "workload", "threads", "s/epoch", "allocs", "peak MiB",
			"ns/edge·L")
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.show(w, id, workload.Measure(id, b.plan)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) show(w io.Writer, id workload.ID, r workload.Result) error {
	if b.json {
		return json.NewEncoder(w).Encode(r)
	}
	perEdge := r.Seconds * 1e9 / float64(id.Edges) / float64(id.Steps)
	_, err := fmt.Fprintf(w, "%-18s %7d %12.6f %8.0f %10.0f %12.2f\n",
		r.Workload, r.Threads, r.Seconds, r.Allocs, float64(r.Peak)/(1<<20), perEdge)
	return err
}
