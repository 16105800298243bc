package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/serve"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

func newWhatIf() *cobra.Command {
	var edits string
	var o serve.Options
	var cmd *cobra.Command
	var c *runCommand
	cmd, c = newRunCommand("what-if", "Predict as if the graph were changed",
		`Shows answers before and after edits of the graph, which are not kept: those of every node whose answer differs, the
largest change first, or of --node. They equal those of POST /v1/what-if of bloom serve. No parameter changes. Edits
that were sent to bloom serve are not included. With --settle the answers are those at the minimum of the energy, as of
bloom serve --settle, and the bound is how far the embedding of a node may be from it.

--edits is a file with {"edits": [EDIT, …]} or an EDIT per line:

  {"add_edge": ["u", "v"], "weight": 2}              {"remove_edge": ["u", "v"]}
  {"add_node": {"id": "w", "columns": {"age": 40}}}  {"remove_node": "w"}
  {"set_features": {"id": "u", "columns": {"age": 41}}}`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  echo '{"edits": [{"remove_edge": ["9", "1"]}, {"add_edge": ["9", "20"]}]}' > edits.json
  bloom what-if karate --edits edits.json --top 3
  bloom what-if karate --edits edits.json --node 9 --json`,
		func(r task.Run, q *task.Request) error {
			if edits == "" {
				return usage(cmd, "which edits? name their file with --edits")
			}
			list, err := serve.Compare(q.Context, r, edits, q.Nodes, o)
			if err != nil {
				return err
			}
			return writeChanges(q, list, o.Settle)
		})
	f := cmd.Flags()
	f.StringVar(&edits, "edits", "", "a JSON `file` of edits")
	f.StringArrayVar(&c.Nodes, "node", nil, "only this node, by its `id`; may be repeated")
	f.BoolVar(&o.Settle, "settle", false, "compare minima of the energy instead of L steps, with bounds")
	f.IntVar(&c.Top, "top", 20, "nodes to show, 0 for all")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object per node, of all nodes unless --top is given")
	return cmd
}

// writeChanges prints a row or an object for every node.
func writeChanges(q *task.Request, list []serve.Change, settled bool) error {
	shown := list[:q.Shown(len(list))]
	flipped := 0
	for _, c := range list {
		if c.Before != nil && c.After != nil && c.Before.Class != c.After.Class {
			flipped++
		}
	}
	const row = "%-24s %-24s %-24s %s"
	if !q.JSON {
		fmt.Fprintf(q.Say, "%s, %d with another class than before\n", show.Plural(len(list), "node"), flipped)
	}
	line := func(cells ...any) string { return strings.TrimRight(fmt.Sprintf(row, cells...), " ") }
	if !q.JSON && len(shown) > 0 {
		title := ""
		if settled {
			title = "bound"
		}
		fmt.Fprintln(q.Out, show.Painter(q.Out).Dim(line("node", "before", "after", title)))
	}
	for _, c := range shown {
		if err := q.WriteAnswer(c, func() string {
			bound := ""
			if c.After != nil && c.After.Bound != nil {
				bound = fmt.Sprintf("%.2g", *c.After.Bound)
			}
			return line(show.Shorten(show.Safe(c.ID), 24), answerOf(c.Before), answerOf(c.After), bound) + "\n"
		}); err != nil {
			return err
		}
	}
	return nil
}

// answerOf returns an answer in a column, with its probability.
func answerOf(a *serve.Answer) string {
	switch {
	case a == nil:
		return "–"
	case a.Value != nil:
		return fmt.Sprintf("%.4g", *a.Value)
	case a.Probability == 0: // of sets
		return show.Shorten(show.Safe(a.Class), 24)
	}
	return fmt.Sprintf("%s %.3f", show.Shorten(show.Safe(a.Class), 18), a.Probability)
}
