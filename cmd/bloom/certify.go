package main

import (
	"github.com/bloomgml/bloom/task"
	"github.com/spf13/cobra"
)

func newCertify() *cobra.Command {
	cmd, c := newRunCommand("certify", "Prove which answers no change of a few edges can overturn",
		`A node is certified if its class stays the same whichever edges of the graph change, as long as at most
--budget of them end at any one node. Changes are made at all nodes at once, so the edges of neighbours count too.
--edges says which edges may change: existing ones, which are removed; two-hop adds edges between nodes with a common
neighbour; all adds edges between any two nodes. --total limits the changes of the whole graph too. Smaller budgets are
tried as well, and the largest under which an answer holds is shown with it.

The proof is for the run as it is: its weights, its features (columns computed from edges are not computed again) and
its number of steps. A step of the descent is a step of value iteration in which an adversary chooses the edges of every
node, the worst for it. That bound is conservative: the adversary may choose again before every step and may
change an edge at one end alone, so a node that is not certified may still hold. --minimiser certifies the exact
minimiser of the energy instead, for which the worst case is exact if edges change at one end, by policy iteration.
--total uses the same bound, as if every node could have that many changes.

--node shows, for single nodes, which class comes closest, and searches for changes of edges that overturn the answer;
those that it prints were tried. It also says how far features may move before the class can change, with the edges as
they are: the row of the node, or the rows of its neighbours, in the L2 norm and after data.scale. The first is exact if
everything is linear (a quadratic energy, and no activation in the layers), otherwise a lower bound.
--features does this for all nodes, in --json.

Without --node the certificate is kept in the run folder, and bloom report and the page of bloom serve show it.

Runs can be certified if they predict one class per node and their energy is base, consistent, robust, robust-logcosh or
another that is smooth along edges and pulls nodes to their features, on undirected edges without weights, with layers
after the descent that have no norm. The bound is tightest with --set model.after=0, where every margin of two classes
is bounded as it is. With a layer and an activation after the descent, a constraint or a penalty that is not quadratic,
columns of h are bounded one by one, and fewer nodes are certified.`,
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
