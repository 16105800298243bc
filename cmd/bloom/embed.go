package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newEmbed() *cobra.Command {
	cmd, c := newRunCommand("embed", "Print the embedding of every node or entity",
		`One row per node: its id and the d numbers of h after the last step. A file that ends in .npy gets the n×d
matrix for NumPy, in the order of the ids in predictions.csv.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom embed karate
  bloom embed karate --out h.npy`,
		task.Run.Embed)
	f := cmd.Flags()
	c.out.flags(cmd, "write to this `file` instead of standard output; .npy for NumPy")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object per node or entity")
	return cmd
}
