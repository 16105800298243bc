package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newExplain() *cobra.Command {
	cmd, c := newRunCommand("explain", "Say why nodes are classified, or facts expected, as they are",
		`A prediction is the minimum of an energy, so it can be taken apart exactly: the energy of a node is what
its own features and its edges have, and each of them pulls towards the predicted class or away from it. The
pull is how fast the margin over the second class, or the number in deviations of the training nodes, would grow
if the node gave way to this edge alone.

Below its own features stand the columns that decide, with their values: how much more the row costs, and pulls,
than it would if the column were what is usual, the mean of all nodes, and everything else stayed. They are
differences and not derivatives, exact for every recipe; a stack of levels has none, as there a row does not act by
itself. After bloom audit, the columns are named too that the neighbourhood does not lead one to expect, of
the rows that are ranked first.

Of a stack of levels it is the last level that is taken apart, or that of --level, from 1: its energy, whose
features are what the levels below made. The pull of a lower level goes through all levels above it.

--label asks about another class than the predicted one: why not that? Where nodes have any number of classes,
the pull is at the logit of one of them, the strongest unless --label says another.

--fidelity asks whether explanations mean something: it takes half of the edges of some test nodes away, once
those that are ranked first and once random ones, and counts how often the prediction changes.

Of a run with --task links: why the pair of two --node scores as it does, as if no edge joined it: what they
have in common, and the exact derivative of the score to the weight of every edge, through all steps.

Of a run on a knowledge graph: why the fact --head X --relation R --tail Y scores as it does, as if the graph
did not have it. By embeddings: both ends settle anew on the facts about them, as bloom add does, and each of
these facts pulls at the score. The pull is the exact derivative of the settled score to the weight of the
fact; lost is what that score is less when both settle without it, relations and all others staying. By
recipe path: the strongest paths, with their share of the derivative of the score to the weights of messages.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom explain karate --node 9
  bloom explain karate --node 3 --node 20 --top 4 --json
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom explain embedded --head 'Hana Carter' --relation uncle_or_aunt_of --tail 'Tara Carter' --top 5`,
		task.Run.Explain)
	f := cmd.Flags()
	c.nameFact(cmd, "of a knowledge graph: the `entity` that the fact begins with", "its `relation`",
		"the `entity` that it ends with")
	f.StringArrayVar(&c.Nodes, "node", nil, "the node to explain, by its `id`; may be repeated")
	f.StringVar(&c.Label, "label", "", "the `class` to explain (default the predicted one)")
	f.IntVar(&c.Level, "level", 0, "of a stack: the `level` to take apart, from 1 (default the last)")
	f.IntVar(&c.Top, "top", 10, "edges, facts or paths to show, 0 for all")
	f.IntVar(&c.Fidelity, "fidelity", 0, "instead, test explanations on this many `nodes`")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object a node")
	return cmd
}
