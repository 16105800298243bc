package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
)

type reportCommand struct {
	out  output
	node string
	data string
}

func newReport() *cobra.Command {
	c := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report RUN [RUN...]",
		Short: "Make an HTML page about a run, or one that compares runs",
		Long: `Make an HTML page about a run, or one that compares runs.

The page is one self-contained file: results, learning curves, the energy per layer, confusion matrix,
calibration, homophily, suspicious nodes and edges, the graph around a node, and how to repeat the run.
For a knowledge graph it shows ranks, relations and the most surprising test facts. Its path is printed.`,
		Example: `  bloom train --data karate --recipe base --out runs/base
  bloom train --data karate --recipe robust --out runs/robust
  bloom report runs/base --node 9
  bloom report runs/base runs/robust --out both.html`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.out.flags(cmd, "the `file` to write (default: report.html in the run folder; comparison.html for several)")
	cmd.Flags().StringVar(&c.node, "node", "", "the `id` of the node to draw the graph around (default: the one that "+
		"fits worst)")
	dataFlag(cmd, &c.data)
	return cmd
}

func (c *reportCommand) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(cmd, "want a run folder, as bloom train makes it")
	}
	if len(args) > 1 && c.node != "" {
		return usage(cmd, "--node is for the page of one run, got %d", len(args))
	}
	if len(args) > 1 && c.data != "" {
		return usage(cmd, "--data is for the page of one run, got %d", len(args))
	}
	cfgs, inputs, err := surveyed(cmd, args)
	if err != nil {
		return err
	}
	rules := c.out.rules(isPage, inputs...)
	switch {
	case kinds.Of(cfgs[0]) != task.Kind(node.Kind{}) && c.node != "":
		return usage(cmd, "--node is for classes of nodes; this run predicts something else")
	case c.out.path == "" && len(args) == 1:
		c.out.path, rules = filepath.Join(args[0], "report.html"), files.WriteOptions{} // its own page
	case c.out.path == "":
		c.out.path = "comparison.html"
	}
	if err := c.out.allow(rules); err != nil {
		return err
	}
	page, err := c.page(cmd, args, cfgs)
	if err == nil {
		err = c.out.write(cmd, rules, page)
	}
	if err != nil {
		return runError(cmd, err)
	}
	fmt.Fprintln(cmd.OutOrStdout(), c.out.path)
	return nil
}

// surveyed returns the configs of runs, which must be about the same, and what they are read from.
func surveyed(cmd *cobra.Command, dirs []string) (cfgs []*config.Config, inputs []string, err error) {
	for i, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "result.json")); err != nil {
			return nil, nil, badData(fmt.Errorf("%s is not the folder of a finished run: it has no result.json; "+
				"bloom train makes one", dir))
		}
		cfg, err := runConfig(cmd, dir)
		if err != nil {
			return nil, nil, err
		}
		if i > 0 && kinds.Of(cfgs[0]) != kinds.Of(cfg) {
			return nil, nil, usage(cmd, "runs about classes of nodes, links between nodes and facts of a knowledge "+
				"graph cannot be compared with one another")
		}
		cfgs, inputs = append(cfgs, cfg), append(inputs, runInputs(dir, cfg.Data.Name)...)
	}
	return cfgs, inputs, nil
}

// page returns the page of runs: of one, or one that compares them.
func (c *reportCommand) page(cmd *cobra.Command, dirs []string, cfgs []*config.Config) (func(io.Writer) error, error) {
	runs := make([]report.Opened, len(dirs))
	for i, dir := range dirs {
		var err error
		runs[i], err = report.OpenRun(dir, kinds.Of(cfgs[i]), func() (*config.Config, *dataset.Dataset, error) {
			d, err := openRun(cmd, dir, cfgs[i], c.data)
			if err == nil && node.Kept(d) != "" {
				notice(cmd)(node.Kept(d))
			}
			return cfgs[i], d, err
		})
		if err != nil {
			return nil, err
		}
	}
	return func(w io.Writer) error {
		if len(runs) == 1 {
			return runs[0].Page(w, report.Options{Node: c.node})
		}
		return report.Compare(w, runs...)
	}, nil
}

// writePage makes report.html in a run folder. Its error says that everything else is there.
func writePage(dir string, c *config.Config) error {
	if err := report.WriteAs(dir, *c); err != nil {
		return fmt.Errorf("everything but the page of the run was written; %s makes it: %w",
			show.ShellCommand("bloom", "report", dir), err)
	}
	return nil
}
