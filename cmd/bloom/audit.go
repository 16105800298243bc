package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newAudit() *cobra.Command {
	cmd, c := newRunCommand("audit", "Rank the rows, classes, edges and facts of the data that are probably wrong",
		`There are three rankings: rows of features, with the columns to look at; labels, with the class that fits better
and neighbours that have it; and edges. Each item is predicted from the rest of the data, and gets a probability of
being wrong. If errors look much like correct data, or are many, probabilities are rough and the order is more
reliable. Columns computed from edges (payments.amount.max.in) describe the position of a node and are not judged.
Edges that stand for several rows of a table are rarely wrong.

The audit trains its own models, so all recipes give the same rankings; the model of the run adds the distance of
h to π(x) and the energies of edges. Everything is written to audit.json in the run folder, and the first findings
are shown on its page; --csv prints all as a table. If rows were corrupted by --corrupt, the detect ratio is the
precision of the ranking at their number. The last line proposes a recipe.

For a run with --task links: all edges, the least likely first, each predicted from messages along other edges.

For a run on a knowledge graph: training and validation facts, by how much worse their entities rank than is usual
for the relation. Training facts are judged out of sample: entities are placed again without a part of the facts,
and a path model sees the graph without them. All are written to audit.csv in the run folder, and the first ones
are shown on its page.`,
		`  bloom train --data csbm:nodes=200 --corrupt rows=0.2 --out spoilt
  bloom audit spoilt
  bloom audit spoilt --top 3 --json
  bloom audit spoilt --csv > suspicions.csv
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom audit embedded --top 5`,
		task.Run.Audit)
	f := cmd.Flags()
	f.IntVar(&c.Sample, "sample", 0, "for a knowledge graph: judge only this number of random `facts`; 0 = all")
	c.factFlags = []string{"sample"}
	f.IntVar(&c.Top, "top", 10, "rows, classes, edges and facts to show, 0 for all; --json prints all unless this "+
		"is given")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object")
	f.BoolVar(&c.CSV, "csv", false, "print rows of a table, all unless --top is given")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	return cmd
}
