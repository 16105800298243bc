package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newExplain() *cobra.Command {
	cmd, c := newRunCommand("explain", "Say why nodes are classified, or facts expected, as they are",
		`The prediction is written as a sum: a base value for a node about which nothing is known, the contribution of each
column of the node, of the features of each neighbour, and of nodes further away. For classes the sum is the log-odds of
the predicted class against the second, or of --label: +0.69 doubles the ratio of their probabilities, −0.69 halves it.
For regression it is the predicted number. Contributions are integrated gradients from a baseline, the mean of a column,
or 0 if most values are 0; trees are followed from the root to the leaf.

--json adds the energy of the node, which the prediction minimises: the shares of its features and edges, and the pull
of each, that is, how fast the margin would grow if the node followed it alone; for a stack, of --level.

--fidelity tests explanations: it removes half of the edges of some test nodes, once those ranked first and once
random ones, and counts how often the prediction changes.

--influence names the training labels that the answer rests on: for each, how the sum would change if the model were
fitted without it. For recipe closed this is exact as long as the channels, ρ and calibration that it chose stay; for
trained parameters it is a first-order estimate. Models with an energy also name the edges and the rows of features
without which the sum changes most, to first order, by exact derivatives through all steps of the descent.

For a run with --task links or on events: the terms of the score of two --node, and the edges that it rests on.

For a run on a knowledge graph: why the fact --head X --relation R --tail Y scores as it does, as if it were not in
the graph. With embeddings both entities are placed again by their other facts: the pull of a fact is the derivative of
the score with respect to its weight, lost how much lower the score is if both are placed without it. With recipe path:
the strongest paths, with their share of the derivative of the score with respect to the weights of messages.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom explain karate --node 9
  bloom explain karate --node 3 --node 20 --top 4 --json
  bloom explain karate --node 9 --influence --top 3
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom explain embedded --head 'Hana Carter' --relation uncle_or_aunt_of --tail 'Tara Carter' --top 5`,
		task.Run.Explain)
	f := cmd.Flags()
	c.nameFact(cmd, "for a knowledge graph: the head `entity` of the fact", "its `relation`",
		"its tail `entity`")
	f.StringArrayVar(&c.Nodes, "node", nil, "the node to explain, by its `id`; may be repeated")
	c.atFlag(cmd)
	f.StringVar(&c.Label, "label", "", "the `class` to explain (default the predicted one)")
	f.IntVar(&c.Level, "level", 0, "for a stack: the `level` to explain, from 1 (default the last)")
	f.BoolVar(&c.Influence, "influence", false, "instead, show the labels, edges and rows that the answer rests on")
	f.IntVar(&c.Top, "top", 10, "edges, facts or paths to show, 0 for all")
	f.IntVar(&c.Fidelity, "fidelity", 0, "instead, test explanations on this number of `nodes`")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object per node")
	return cmd
}
