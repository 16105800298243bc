package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/report"
)

// reportCommand is the command that makes pages.
type reportCommand struct{ out, node string }

func newReport() *cobra.Command {
	c := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report RUN [RUN...]",
		Short: "Make an HTML page about a run, or one that compares runs",
		Long: `Make an HTML page about a run, or one that compares runs.

The page is one file that needs nothing else: results, learning curves, the energy layer by layer, confusion,
calibration, homophily, the nodes and edges that do not fit, the graph around a node, and how to repeat the run.
Of a knowledge graph it shows ranks, relations and the test facts that were least expected. Its path is printed.`,
		Example: `  bloom train --data karate --recipe base --out runs/base
  bloom train --data karate --recipe robust --out runs/robust
  bloom report runs/base --node 9
  bloom report runs/base runs/robust --out both.html`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&c.out, "out", "", "the `file` to write (default: report.html in the run folder; comparison.html "+
		"for several)")
	f.StringVar(&c.node, "node", "", "the `id` of the node to draw the graph around (default: the one that fits worst)")
	return cmd
}

func (c *reportCommand) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(cmd, "want a run folder, as bloom train makes it")
	}
	if len(args) > 1 && c.node != "" {
		return usage(cmd, "--node is for the page of one run, got %d", len(args))
	}
	kinds := map[bool]int{}
	for _, dir := range args {
		if _, err := os.Stat(filepath.Join(dir, "result.json")); err != nil {
			return &dataError{fmt.Errorf("%s is no folder of a finished run: it has no result.json; bloom train "+
				"makes one", dir)}
		}
		links, err := report.IsLinks(dir)
		if err != nil {
			return runError(cmd, err)
		}
		noteUnsealed(cmd, dir)
		kinds[links]++
	}
	if len(kinds) > 1 {
		return usage(cmd, "a run on a knowledge graph cannot be compared with one about classes of nodes")
	}
	if kinds[true] > 0 {
		return c.links(cmd, args)
	}
	return c.nodes(cmd, args)
}

// nodes makes the page of runs about classes of nodes.
func (c *reportCommand) nodes(cmd *cobra.Command, args []string) error {
	var runs []*report.Run
	for _, dir := range args {
		r, err := report.Open(dir)
		if err != nil {
			return runError(cmd, err)
		}
		runs = append(runs, r)
	}
	path := c.path(args)
	if err := report.Store(path, func(w io.Writer) error { return c.page(w, runs) }); err != nil {
		return runError(cmd, err)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}

// links makes the page of runs on knowledge graphs.
func (c *reportCommand) links(cmd *cobra.Command, args []string) error {
	if c.node != "" {
		return usage(cmd, "--node is for classes of nodes; this is a run on a knowledge graph")
	}
	var runs []*report.Links
	for _, dir := range args {
		r, err := report.OpenLinks(dir)
		if err != nil {
			return runError(cmd, err)
		}
		runs = append(runs, r)
	}
	path := c.path(args)
	err := report.Store(path, func(w io.Writer) error {
		if len(runs) == 1 {
			return runs[0].Page(w)
		}
		return report.CompareLinks(w, runs...)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}

// path is the file to write.
func (c *reportCommand) path(args []string) string {
	switch {
	case c.out != "":
		return c.out
	case len(args) == 1:
		return filepath.Join(args[0], "report.html")
	}
	return "comparison.html"
}

// page writes the page of one run or of several.
func (c *reportCommand) page(w io.Writer, runs []*report.Run) error {
	if len(runs) == 1 {
		return runs[0].Page(w, report.Options{Node: c.node})
	}
	return report.Compare(w, runs...)
}
