package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newCertify() *cobra.Command {
	cmd, c := newRunCommand("certify", "Prove which answers no change of a few edges can overturn",
		`A node is certified if its class stays the same whichever edges of the graph change, as long as at most
--budget of them end at any one node. Changes are made at all nodes at once, so the edges of neighbours count too.
Existing edges are removed; --edges two-hop adds edges between nodes with a common neighbour, all between any two nodes.
Edges with weights can only be removed. Smaller budgets are tried as well. Without --node the certificate is kept in the
run folder, where bloom report and the page of bloom serve find it.

The proof is for the weights, features and number of steps of the run. It is conservative: the adversary may choose again
before every step and may change an edge at one end alone, so a node that is not certified may still hold. --minimiser
certifies the exact minimiser of the energy, for which the worst case is exact if edges change at one end. --total limits
the changes of the whole graph, by the same bound as if every node could have that many.

--node shows which class comes closest, and searches for changes of edges that overturn the answer; those that it prints
were tried. It also says how far the row of the node, or those of its neighbours, may move before the class can change,
in the L2 norm and after data.scale; --features does this for all nodes, in --json.

A closed form is certified with its ridge weights as they are, by a conservative bound; it is not solved again.

Runs can be certified if they predict one class per node by an energy that is smooth along undirected edges and pulls
nodes to their features, such as base and robust, with layers after the descent that have no norm. The bound is tightest
with --set model.after=0 and a quadratic energy, where every margin of two classes is bounded as it is.`,
		`  bloom train --data csbm:nodes=300 --recipe base --set model.after=0 --out run
  bloom certify run
  bloom certify run --budget 2 --json
  bloom certify run --node n3 --edges all`,
		func(r task.Run, q *task.Request) error {
			if x, ok := r.(task.Certifying); ok {
				return x.Certify(q)
			}
			return task.Usage("only classes of nodes are certified, and this run predicts something else")
		})
	f := cmd.Flags()
	f.StringArrayVar(&c.Nodes, "node", nil, "show this node, by its `id`; may be repeated")
	f.IntVar(&c.Changes.Each, "budget", 1, "`edges` that may change at every node")
	f.IntVar(&c.Changes.Total, "total", 0, "`edges` that may change in all; 0 for any number")
	f.StringVar(&c.Changes.Edges, "edges", "existing", "which edges may change: existing, two-hop or all")
	f.BoolVar(&c.Changes.Features, "features", false, "also say how far features may move; always done with --node")
	f.BoolVar(&c.Changes.Minimiser, "minimiser", false, "certify the minimiser of the energy, not the steps of the run")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object")
	return cmd
}
