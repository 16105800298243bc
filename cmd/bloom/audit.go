package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newAudit() *cobra.Command {
	cmd, c := newRunCommand("audit", "Rank the rows, classes, edges and facts of the data that are probably wrong",
		`Rows of features, classes and edges are ranked apart, each by what the rest of the data says when it is left
out, with the probability of being wrong: rows with the columns to look at, classes with the one that fits
and neighbours that have it. Where wrong ones look much like right ones, or many are wrong, probabilities
are rough and the order tells more. Columns that were made of edges (payments.amount.max.in) say
where a node is and are not judged. An edge that was made of several rows of a table is hardly ever wrong:
where edges between nodes that have nothing in common repeat as others do, they are how the graph is.

The audit trains what it needs, so that all recipes give the same rankings; of the model it adds how far h is
from π(x) and the energies of edges. Everything is written to audit.json in the run folder, and the first
ones are shown on its page; --csv prints all as a table. Where it is known which rows are corrupted, because
--corrupt did it, the detect ratio is the precision of the ranking at their number. The last line proposes a
recipe.

Of a run with --task links: all edges, the least likely first, each judged by messages along others alone.

Of a run on a knowledge graph: training and validation facts, by how much worse their ends rank than is usual
for the relation. Training facts are judged as if nobody had told the model about them: entities are placed again
without a part of the facts, and a model of paths sees a graph without them. All are written to audit.csv in
the run folder, and the first ones are shown on its page.`,
		`  bloom train --data csbm:nodes=500 --corrupt rows=0.2 --out spoilt
  bloom audit spoilt
  bloom audit spoilt --top 3 --json
  bloom audit spoilt --csv > suspicions.csv
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom audit embedded --top 5`,
		task.Run.Audit)
	f := cmd.Flags()
	f.IntVar(&c.Sample, "sample", 0, "of a knowledge graph: judge this many `facts`, drawn at random, 0 for all")
	c.factFlags = []string{"sample"}
	f.IntVar(&c.Top, "top", 10, "rows, classes, edges and facts to show, 0 for all; --json prints all unless this "+
		"is given")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object")
	f.BoolVar(&c.CSV, "csv", false, "print rows of a table, all unless --top is given")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	return cmd
}
