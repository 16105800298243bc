package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/internal/workload"
	"github.com/bloomgml/bloom/mat"
)

type bench struct {
	only    string
	json    bool
	growth  bool
	profile bool
	round   string
	plan    workload.Plan
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
measured, and the median is multiplied by their number.

--profile shows instead where the time of a batch goes: for each operation, by name and shape, the fastest of five
batches, its throughput in operations and bytes, the share of the measured limits of this machine, and the speedup over
one thread. Rows that are gathered several times count each time; a share of memory bandwidth above 100 % comes from a cache.`,
		Example: `  bloom bench --only cora
  bloom bench --only arxiv/base --threads 2 --json
  bloom bench --only path-pna
  bloom bench --only roman/hetero --profile
  bloom bench --growth`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&b.only, "only", "", "a shape, an energy, shape/energy, or a knowledge graph")
	f.BoolVar(&b.json, "json", false, "print one JSON object per workload")
	f.BoolVar(&b.growth, "growth", false, "measure graphs of 10k to 10M edges instead")
	f.BoolVar(&b.profile, "profile", false, "show operations against the limits of the machine")
	f.StringVar(&b.round, "precision", "float32", "precision of the factors of matrix products: float32, tf32 or bf16")
	f.IntVar(&b.plan.Epochs, "epochs", 0, "epochs, or batches of a knowledge graph, to measure; 0 for what fits "+
		"into two seconds")
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
	if err := mat.Round(mat.Precision(b.round)); err != nil {
		return usage(cmd, "--precision is %s: %v", b.round, err)
	}
	if b.profile {
		if mat.Default() != mat.CPU {
			return usage(cmd, "--profile measures the CPU, and the device is %s", mat.Default().Name())
		}
		limits := workload.Machine(200 * time.Millisecond)
		return b.each(cmd, ids, func(id workload.ID) error {
			p := workload.Explain(id, limits, b.plan)
			return printFound(cmd, b.json, p, func(w io.Writer, _ show.Paint) { showProfile(w, p) })
		})
	}
	if !b.json {
		fmt.Fprintf(cmd.OutOrStdout(), "%-18s %7s %12s %8s %10s %12s\n", "workload", "threads", "s/epoch", "allocs",
			"peak MiB", "ns/edge·L")
	}
	return b.each(cmd, ids, func(id workload.ID) error {
		r := workload.Measure(id, b.plan)
		perEdge := r.Seconds * 1e9 / float64(id.Edges) / float64(id.Steps)
		return printLine(cmd, b.json, r, fmt.Sprintf("%-18s %7d %12.6f %8.0f %10.0f %12.2f", r.Workload, r.Threads,
			r.Seconds, r.Allocs, float64(r.Peak)/(1<<20), perEdge))
	})
}

// each measures workloads until the command is stopped.
func (b *bench) each(cmd *cobra.Command, ids []workload.ID, measure func(workload.ID) error) error {
	for _, id := range ids {
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		if err := measure(id); err != nil {
			return err
		}
	}
	return nil
}

// showProfile is the table of a profile, down to a thousandth of the time.
func showProfile(w io.Writer, p workload.Profile) {
	fmt.Fprintf(w, "%s, %d threads, %.3f ms; at most %.0f GFLOP/s (%.0f on one thread), %.1f GB/s from memory, %.0f "+
		"from the cache of a core\n", p.Workload, p.Threads, 1e3*p.Seconds, p.Peak, p.One, p.Memory, p.Cache)
	fmt.Fprintf(w, "  %-14s %-28s %5s %9s %6s %8s %8s %6s %-6s %7s\n", "operation", "shape", "calls", "ms", "%",
		"GFLOP/s", "GB/s", "share", "of", "threads")
	for _, o := range p.Operations {
		if o.Seconds < p.Seconds/1000 {
			continue
		}
		fmt.Fprintf(w, "  %-14s %-28s %5d %9.3f %6.1f %8.1f %8.1f %5.0f%% %-6s %6.1f×\n", o.Op, o.Shape, o.Calls,
			1e3*o.Seconds, 100*o.Seconds/p.Seconds, o.Flops, o.Bytes, 100*o.Share, o.Limit, o.Faster)
	}
}
