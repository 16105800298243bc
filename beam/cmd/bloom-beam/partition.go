package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/beam/internal/pipeline"
)

func newPartition() *cobra.Command {
	var out string
	var n int
	cmd := &cobra.Command{Use: "partition DATA", Short: "Cut a folder of blocks into parts, one for a worker at a time",
		Long: `DATA is a folder that bloom data blocks wrote. Parts are ranges of its rows: --order ldg there puts neighbours
near one another, so that parts exchange few messages. A part is read by one worker at a time and should be
well below its memory: 4 bytes a neighbour, and 16 bytes times the columns of the states for every row.`,
		Example: "  bloom-beam partition big.bloom --parts 64 --out parts", Args: arguments(1)}
	cmd.Flags().StringVar(&out, "out", "", "the `folder` for the parts")
	cmd.Flags().IntVar(&n, "parts", 8, "how many")
	_ = cmd.MarkFlagRequired("out") // there is such a flag
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := filepath.Abs(out)
		if err != nil {
			return err
		}
		f, err := pipeline.Partition(cmd.Context(), args[0], dir, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d parts of %d nodes and %d edges\n", out, f.Len(), f.Nodes(), f.Edges)
		return nil
	}
	return cmd
}

func newSample() *cobra.Command {
	var out string
	cmd := &cobra.Command{Use: "sample PARTS", Short: "Write every part with its halo as a data set to train on",
		Long: `Writes shard-PART.bloom: the rows of a part with all of their edges, labels and splits, and the rows of
other parts that send messages to them, with features but without labels. Any recipe trains on a shard; every shard gives
a model of its own.`, Example: "  bloom-beam sample parts --out shards", Args: arguments(1)}
	cmd.Flags().StringVar(&out, "out", "", "the `folder` for the sets")
	_ = cmd.MarkFlagRequired("out") // there is such a flag
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folder, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		to, err := filepath.Abs(out)
		if err != nil {
			return err
		}
		f, err := pipeline.Sample(cmd.Context(), folder, to)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d sets\n", out, f.Len())
		return nil
	}
	return cmd
}
