package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/beam/internal/pipeline"
)

func newSample() *cobra.Command {
	var out string
	cmd := &cobra.Command{Use: "sample PARTS", Short: "Write every part with its halo as a data set to train on",
		Long: `Writes shard-PART.bloom: the rows of a part with all of their edges, labels and splits, and the rows of
other parts that send messages to them, with features but without labels. Any recipe trains on a shard; every shard gives
a model of its own.`,
		Example: "  bloom-beam sample parts --out shards", Args: arguments(1)}
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
