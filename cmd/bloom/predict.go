package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
)

// runCommand is a command about a run folder, with the flags of all such commands.
type runCommand struct {
	task.Request
	data string // instead of the data that the run was trained on; may be empty
	out  output

	table, edges string // of new nodes
	array        string // their embeddings
	triples      string // a file of new facts
	rejects      string // where rows go that cannot be used
	strict       bool

	factFlags []string // that only some kinds have
	inputs    []string // files that the run and its data are read from
	asOf      bool     // nodes are predicted as they were at the time of --at
}

// newRunCommand is a command whose argument is a run folder.
func newRunCommand(use, short, long, example string,
	do func(task.Run, *task.Request) error) (*cobra.Command, *runCommand) {
	c := &runCommand{}
	cmd := &cobra.Command{Use: use + " RUN", Short: short, Long: short + ".\n\n" + long, Example: example,
		Args: command.Args(1, 1, "one run folder, got %d arguments; bloom train makes one"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := runConfig(cmd, args[0])
			if err != nil {
				return err
			}
			k := kinds.Of(cfg)
			done, err := c.askAgain(cmd, args[0])
			if err != nil {
				return err
			}
			defer done()
			data, graph := c.data, node.IsGraphOf(args[0], c.data)
			if graph {
				data = ""
			}
			own := *cfg // with the name of its own data
			d, err := openRun(cmd, args[0], cfg, data)
			if err != nil {
				return runError(cmd, err)
			}
			c.asOf = use == "predict" && c.At != "" && c.table == "" && d.Schema.Timed()
			if err := c.checkFlags(cmd, use, cfg, k); err != nil {
				return err
			}
			if graph {
				x, err := node.OpenGraph(cmd.Context(), args[0], c.data, *cfg, d)
				if err != nil {
					return runError(cmd, err)
				}
				defer x.Close()
				if use != "predict" || c.JSON || len(c.Nodes) > 0 || c.Coverage > 0 {
					return usage(cmd, "--data %s is the graph of the run, which stays on disk: for all its nodes only "+
						"predictions as CSV are available; without --data, the command uses the rows that "+
						"the run has kept", c.data)
				}
				k = node.Kind{Disk: x}
			}
			c.inputs = runInputs(args[0], cfg.Data.Name) // which may lie elsewhere
			if err := c.out.allow(c.rules()); err != nil {
				return err
			}
			run, err := k.Open(args[0], *cfg, d)
			if err == nil {
				err = do(run, c.request(cmd, &own))
			}
			return runError(cmd, err)
		}}
	dataFlag(cmd, &c.data)
	return cmd, c
}

// checkFlags turns down flags that have no meaning for the kind of a run.
func (c *runCommand) checkFlags(cmd *cobra.Command, use string, cfg *config.Config, k task.Kind) error {
	for _, name := range c.factFlags {
		if cmd.Flags().Changed(name) && !k.Takes(name) && (name != "at" || c.At != "" && !c.asOf) {
			what := "knowledge graphs"
			if name == "at" {
				what = "links in time"
			}
			return usage(cmd, "--%s is for %s, and %s predicts %s", name, what, cfg.Recipe, k.About())
		}
	}
	for _, name := range []string{"coverage", "node"} {
		if use == "predict" && c.table != "" && cmd.Flags().Changed(name) {
			return usage(cmd, "--%s is for nodes of the graph, not for those of --nodes", name)
		}
	}
	return nil
}

func newPredict() *cobra.Command {
	var c *runCommand
	var cmd *cobra.Command
	cmd, c = newRunCommand("predict", "Predict classes of nodes, or answers to questions, with evidence",
		`Prints one row per node: its id, class, probability, true label if known, part of the split and, for recipes, the residual
‖h − π(x)‖ and the energy. --nodes predicts new rows as bloom add does, without keeping them. How far the descent has
converged, and what --coverage promises, is printed on standard error and in the first JSON object.

For a run with --task links: the --top nodes that --node X is most probably joined with, leaving out those it is
joined with already; without --node, the held-out pairs.

For a run with --ask: the questions of the run; with --at 2024-06-01, the same question about every entity that had a
recent row, with what the database knew then. --data names the database if it has moved or grown.

For a run on nodes with times: with --at, the nodes whose time is not later, as they were then.

For a run on events: the --top targets that --node X will most probably meet next, after the end of the data or at
--at; without --node, the ranks of the targets of the held-out events.

For a run on a knowledge graph: the best answers to a question, --head X --relation R for tails and
--relation R --tail Y for heads, with their scores, whether they are known facts and, for recipe path, the strongest
path for each. With --coverage 0.9 these are the unknown answers that contain the right one with that probability, and
with both ends it prints the probability that the fact is true, if half of such facts are false. --node X lists the
unknown facts about X with the highest scores, for all relations and both directions. Without a question it prints the
ranks of the test facts.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom predict karate
  bloom predict karate --node 9 --json
  bloom train --data karate --task links --out friends --set train.epochs=50
  bloom predict friends --node 9 --top 3
  bloom train --data family:families=4 --recipe path --out kin --set train.epochs=4
  bloom predict kin --head "Eva Mason" --relation grandparent_of --top 3`,
		func(r task.Run, q *task.Request) error {
			if c.table != "" || c.asOf {
				return r.Add(q)
			}
			return r.Predict(q)
		})
	f := cmd.Flags()
	c.askFlags(cmd)
	f.StringVar(&c.table, "nodes", "", "a `table` of new nodes to predict instead of the nodes of the run")
	f.StringVar(&c.edges, "edges", "", "the `table` of their edges")
	f.Float64Var(&c.Coverage, "coverage", 0, "add prediction sets, or intervals for numbers, that contain the truth "+
		"with this probability, such as 0.9, for every class, or relation; no set is empty")
	f.StringArrayVar(&c.Nodes, "node", nil, "only this node, by its `id`; may be repeated")
	c.atFlag(cmd)
	c.out.flags(cmd, "write to this `file` instead of standard output")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object per line: the evidence, then the nodes; or the answers")
	return cmd
}

// rules says which files the output of a command about a run may replace.
func (c *runCommand) rules() files.WriteOptions {
	ours := isResult
	if strings.HasSuffix(c.out.path, ".npy") {
		ours = isNone
	}
	return c.out.rules(ours, append(c.inputs, table.File(c.table), table.File(c.edges), c.triples)...)
}

// request returns the request of the command line. Rows go to the standard output, or to the file of --out; objects
// mean the same with escapes.
func (c *runCommand) request(cmd *cobra.Command, cfg *config.Config) *task.Request {
	q := &c.Request
	q.Context, q.Out, q.Say = cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	q.Page = func(dir string) error { return writePage(dir, cfg) }
	q.Array, q.Given = strings.HasSuffix(c.out.path, ".npy"), cmd.Flags().Changed
	q.Write = func(f func(io.Writer) error) error {
		if c.JSON && c.out.path == "" {
			return f(cmd.OutOrStdout())
		}
		return c.out.write(cmd, c.rules(), f)
	}
	q.Newcomers = func(d *dataset.Dataset) (*dataset.Newcomers, func(), error) { return c.newcomers(cmd, d) }
	q.Triples = func(d *dataset.Dataset) ([]dataset.Fact, func(), error) { return c.newFacts(cmd, d) }
	return q
}

// askFlags adds the flags that ask a question.
func (c *runCommand) askFlags(cmd *cobra.Command) {
	c.nameFact(cmd, "for a knowledge graph: the head `entity` of a question for tails",
		"the `relation` of the question", "the tail `entity` of a question for heads")
	cmd.Flags().IntVar(&c.Top, "top", 10, "answers to show")
	cmd.Flags().BoolVar(&c.Fresh, "new", false, "leave out answers that are known facts")
	c.factFlags = append(c.factFlags, "top", "new")
}

// atFlag adds the flag for the time to answer as of.
func (c *runCommand) atFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.At, "at", "", "for links in time, questions about a database and nodes with times: "+
		"answer as of this `time`, written as in the data (default the end of the data)")
	c.factFlags = append(c.factFlags, "at")
}

// nameFact adds the flags that name a fact, with the given descriptions.
func (c *runCommand) nameFact(cmd *cobra.Command, head, relation, tail string) {
	f := cmd.Flags()
	f.StringVar(&c.Fact.Head, "head", "", head)
	f.StringVar(&c.Fact.Relation, "relation", "", relation)
	f.StringVar(&c.Fact.Tail, "tail", "", tail)
	c.factFlags = []string{"head", "relation", "tail"}
}
