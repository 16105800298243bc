package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	model "github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/table"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/nodes"
)

// runCommand is a command about a run folder, with the flags of all such commands.
type runCommand struct {
	json bool
	data string // in the place of what the run was trained on; empty for none
	out  output
	top  int

	// For classes of nodes.
	node         []string
	label        string // the class to explain
	level        int    // of a stack, the one to explain; 0 for the last
	fidelity     int
	coverage     float64
	table, edges string // of new nodes
	array        string // their embeddings
	rejects      string // where rows of them go that cannot be used
	strict       bool

	// For facts of a knowledge graph.
	fact    link.Fact // or a question, one of its ends being empty
	fresh   bool
	sample  int
	triples string // a file of new facts
	save    string
	steps   int

	factFlags []string // that are for knowledge graphs alone
	inputs    []string // files that the run and its data are read from
}

// newRunCommand is a command whose argument is a run folder.
func newRunCommand(use, short, long, example string,
	do func(opened, *cobra.Command, *runCommand) error) (*cobra.Command, *runCommand) {
	c := &runCommand{}
	cmd := &cobra.Command{Use: use + " RUN", Short: short, Long: short + ".\n\n" + long, Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "want one run folder, got %d arguments; bloom train makes one", len(args))
			}
			cfg, err := runConfig(cmd, args[0])
			if err != nil {
				return err
			}
			if err := c.checkFlags(cmd, cfg); err != nil {
				return err
			}
			data, graph := c.data, nodes.IsGraphOf(args[0], c.data)
			if graph {
				data = ""
			}
			cfg, d, err := openRun(cmd, args[0], data)
			if err != nil {
				return runError(cmd, err)
			}
			k := kindOf(cfg)
			if graph {
				x, err := nodes.OpenGraph(cmd.Context(), args[0], c.data, *cfg, d)
				if err != nil {
					return runError(cmd, err)
				}
				defer x.Close()
				if use != "predict" || c.json || len(c.node) > 0 || c.coverage > 0 {
					return usage(cmd, "--data %s is the graph of the run, which stays on the disk: of all its nodes "+
						"there are predictions, as CSV, and nothing else; without it this is about the rows that the "+
						"run has looked at", c.data)
				}
				k = classes{x}
			}
			c.inputs = runInputs(args[0], cfg.Data.Name) // which may lie elsewhere
			if err := c.out.allow(c.rules()); err != nil {
				return err
			}
			run, err := k.open(args[0], cfg, d)
			if err == nil {
				err = do(run, cmd, c)
			}
			return runError(cmd, err)
		}}
	dataFlag(cmd, &c.data)
	return cmd, c
}

// checkFlags turns flags down that are not for the kind of a run.
func (c *runCommand) checkFlags(cmd *cobra.Command, cfg *config.Config) error {
	if cfg.Family().Links() {
		return nil // whose commands say what to give instead
	}
	what := "classes of nodes"
	if cfg.Family() == family.Joined {
		what = "links between nodes"
	}
	for _, name := range c.factFlags {
		if cmd.Flags().Changed(name) && (name != "top" || cfg.Family() != family.Joined) {
			return usage(cmd, "--%s is for knowledge graphs, and %s predicts %s", name, cfg.Recipe, what)
		}
	}
	return nil
}

func newPredict() *cobra.Command {
	cmd, c := newRunCommand("predict", "Predict classes of nodes, or answers to questions, with evidence",
		`A row a node: its id, class, probability, the true label where it is known, its part of the split, and of
recipes the residual ‖h − π(x)‖ and the energy. How far the descent went, and what --coverage promises, is told on standard error, and in the first JSON object.

Of a run with --task links: the nodes that --node X is probably joined with, --top of them, never what it is
joined with already; without --node, the held-out pairs.

Of a run on a knowledge graph: the best answers to a question, --head X --relation R for tails and
--relation R --tail Y for heads, with their scores, whether they are facts already and, of recipe path, the
path that speaks most for each. --node X lists the facts about X with the largest scores, of any relation and either
way, never what is there already in either direction. Without a question it prints the ranks of the test facts.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom predict karate
  bloom predict karate --node 9 --json
  bloom train --data karate --task links --out friends --set train.epochs=50
  bloom predict friends --node 9 --top 3
  bloom train --data family:families=4 --recipe path --out kin --set train.epochs=4
  bloom predict kin --head "Eva Mason" --relation grandparent_of --top 3`,
		opened.predict)
	f := cmd.Flags()
	c.askFlags(cmd)
	f.Float64Var(&c.coverage, "coverage", 0, "of nodes: give sets of classes, or intervals of numbers, that hold the "+
		"truth with this probability, as 0.9, whichever class it is; no set is empty")
	f.StringArrayVar(&c.node, "node", nil, "only this node, by its `id`; may be repeated")
	c.out.flags(cmd, "write to this `file` instead of standard output")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line: the evidence, then the nodes; or the answers")
	return cmd
}

// evidenceText is how far a descent went, in a sentence.
func evidenceText(e model.Evidence) string {
	if e.Drop() < 0 {
		return fmt.Sprintf("The %d steps of the descent raise the energy by %.3g %%: they may be too long "+
			"(energy.descent.gamma; safe is never too long).",
			e.Steps, -100*e.Drop())
	}
	return fmt.Sprintf("The %d steps of the descent take %.0f %% of the energy away; one more would move the "+
		"embeddings by %.2g %%.",
		e.Steps, 100*e.Drop(), 100*e.Residual)
}

// evidenceTexts is the same of all levels of a stack together, or of the first one whose energy rises.
func evidenceTexts(levels []model.Evidence) string {
	if len(levels) == 1 {
		return evidenceText(levels[0])
	}
	low, high, left := math.Inf(1), math.Inf(-1), 0.0
	for k, e := range levels {
		if e.Drop() < 0 {
			return fmt.Sprintf("Level %d of %d: %s", k+1, len(levels), evidenceText(e))
		}
		low, high, left = min(low, e.Drop()), max(high, e.Drop()), max(left, e.Residual)
	}
	return fmt.Sprintf("The descents of the %d levels take %.0f to %.0f %% of their energies away; one more step "+
		"would move what they find by at most %.2g %%.", len(levels), 100*low, 100*high, 100*left)
}

// rules are what the output of a command about a run may replace.
func (c *runCommand) rules() durable.Options {
	ours := isResult
	if strings.HasSuffix(c.out.path, ".npy") {
		ours = isNone
	}
	return c.out.rules(ours, append(c.inputs, table.File(c.table), table.File(c.edges), c.triples)...)
}

// write calls f with the standard output, or with the file of --out. Objects mean the same with escapes.
func (c *runCommand) write(cmd *cobra.Command, f func(io.Writer) error) error {
	if c.json && c.out.path == "" {
		return f(cmd.OutOrStdout())
	}
	return c.out.write(cmd, c.rules(), f)
}
