// Command bloom-paper repeats the tables and figures of the paper, each as an experiment with a name:
//
//	noise heterophily full lambda momentum halo kgc kge new-entities lp energy-figure layernorm-figure norm-figure
//
// and what the paper does not measure in the same way: beyond descents kge-plain noise-typed unseen
//
//	go run ./cmd/bloom-paper list
//	go run ./cmd/bloom-paper run lp      # paper | ours | gap
//	go run ./cmd/bloom-paper faults cora # how well an audit finds planted faults
//
// An experiment is made of cells, a row on a data set, and every cell is a file, cells/ID/ROW-DATA.yaml: the settings
// as keys of package config, how many seeds, what the paper published, the target, our result, when and with which
// commit, how much was searched, and if a target was missed, what was tried. Nothing is ever chosen by the test nodes.
// A finished seed stays in the folder of a run as a file, so a stopped run can be resumed.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/jobs"
)

func main() {
	os.Exit(command.Program{Root: newRoot(), Advice: "what is done stays in the folder of the run"}.
		Start(os.Args[1:], os.Stdout, os.Stderr))
}

// cellsHere is --cells: the folder of the cells, by default relative to the root of the repository.
var cellsHere string

func newRoot() *cobra.Command {
	root := command.NewRoot("bloom-paper", "Repeat the tables and figures of the paper: paper, ours, gap")
	root.Example = `  bloom-paper list
  bloom-paper show noise
  bloom-paper run lp
  bloom-paper run noise --data-sets cora --seeds 3`
	root.PersistentFlags().StringVar(&cellsHere, "cells", filepath.FromSlash("cmd/bloom-paper/cells"),
		"the folder of the cells, which a checkout of bloom has")
	root.AddCommand(newList(), newShow(), newRun(), newRecord(), newFaults())
	return root
}

func newList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tables and figures: name, label in the paper, recorded cells of all, what it is",
		Example: `  bloom-paper list`,
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, e := range experiments {
				cells, err := e.Cells(cellsHere)
				if err != nil {
					return err
				}
				done := 0
				for _, c := range cells {
					if c.Ours != nil {
						done++
					}
				}
				fmt.Fprintf(t, "%s\t%s\t%d of %d\t%s\n", e.ID, e.Source, done, len(cells), e.Title)
			}
			return t.Flush()
		},
	}
}

func newShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a table as it is recorded, without running anything",
		Example: `  bloom-paper show momentum
  bloom-paper show noise --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := named(cmd, args)
			if err != nil {
				return err
			}
			r, err := Recorded(e, cellsHere)
			if err != nil {
				return err
			}
			return printReport(cmd, r, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line")
	return cmd
}

func printReport(cmd *cobra.Command, r *Report, asJSON bool) error {
	if !asJSON {
		return r.Write(cmd.OutOrStdout())
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	for _, l := range r.Lines() {
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

type runCommand struct {
	options             Options
	force, resume, json bool
}

func newRun() *cobra.Command {
	c := &runCommand{}
	cmd := &cobra.Command{
		Use:   "run ID",
		Short: "Run a table or figure and compare it with the paper's",
		Long: `Run a table or figure and compare it with the paper's.

Every seed that is done is kept as a file in the folder of --out; a stopped run resumes from
there, and so does one with more seeds. Figures are written into the folder as SVG. Rows whose
data is not on this machine are left out: it says which files are missing and where they go.`,
		Example: `  bloom-paper run lp
  bloom-paper run noise --data-sets cora,citeseer --seeds 3
  bloom-paper run momentum --resume=false`,
		RunE: c.run,
	}
	f := cmd.Flags()
	f.IntVar(&c.options.Seeds, "seeds", 0, "runs of every cell (default: what its file says)")
	f.IntVar(&c.options.Jobs, "jobs", 1, "runs of a cell at the same time; threads are divided among them")
	f.StringSliceVar(&c.options.Data, "data-sets", nil, "data sets to run (default: all)")
	f.StringSliceVar(&c.options.Rows, "rows", nil, "rows to run (default: all)")
	f.StringVar(&c.options.Dir, "out", "", "the folder for outcomes and figures (default: paper-runs/ID)")
	f.BoolVar(&c.force, "force", false, "replace files that bloom-paper did not write")
	f.BoolVar(&c.resume, "resume", true, "take what is in the folder already; --resume=false measures it again")
	f.BoolVar(&c.json, "json", false, "print one JSON object per line of the table")
	return cmd
}

func (c *runCommand) run(cmd *cobra.Command, args []string) error {
	e, err := named(cmd, args)
	if err != nil {
		return err
	}
	o := c.options
	if o.Seeds < 0 {
		return command.Usage(cmd, "%d seeds, want 1 or more", o.Seeds)
	}
	if o.Jobs < 1 {
		return command.Usage(cmd, "%d jobs, want 1 or more", o.Jobs)
	}
	if err := command.EnoughThreads(cmd, o.Jobs); err != nil {
		return err
	}
	defer jobs.Divide(o.Jobs)()
	o.Cells, o.Dir, o.Fresh = cellsHere, folderOf(e, o.Dir), !c.resume
	o.Say = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	r, err := Run(cmd.Context(), e, o)
	if err != nil {
		return command.Training(cmd, err)
	}
	for _, f := range r.Figures() {
		file, err := f.Save(o.Dir, c.force)
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "figure", file)
	}
	if err := printReport(cmd, r, c.json); err != nil {
		return err
	}
	for _, m := range r.Missing {
		fmt.Fprintf(cmd.ErrOrStderr(), "left out: %v\n", m)
	}
	return nil
}

// folderOf returns where outcomes are kept: the folder that was named, or one for all tables with the same rows.
func folderOf(e *Experiment, out string) string {
	if out != "" {
		return out
	}
	return filepath.Join("paper-runs", e.Folder)
}

// named returns the experiment that a command line names.
func named(cmd *cobra.Command, args []string) (*Experiment, error) {
	if len(args) != 1 {
		return nil, command.Usage(cmd, "want the name of one table or figure, got %d arguments; bloom-paper list "+
			"lists them", len(args))
	}
	e, err := Find(args[0])
	if err != nil {
		return nil, command.Usage(cmd, "%w; bloom-paper list lists them", err)
	}
	return e, nil
}

func newRecord() *cobra.Command {
	var o Options
	var commit string
	cmd := &cobra.Command{
		Use:   "record ID",
		Short: "Write what a run gave into the files of its cells",
		Long: `Write what a run gave into the files of its cells, ID/ROW-DATA.yaml in the folder of --cells. Cells that have not
run with all their seeds are left alone. A number below its target is refused until the file says under
"tried" what was tried.`,
		Example: `  bloom-paper record noise --commit $(git rev-parse --short HEAD)`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := named(cmd, args)
			if err != nil {
				return err
			}
			if commit == "" {
				return command.Usage(cmd, "this program does not know its commit: name it with --commit")
			}
			o.Cells, o.Dir, o.Kept = cellsHere, folderOf(e, o.Dir), true
			r, err := Run(cmd.Context(), e, o)
			if err != nil {
				return err
			}
			files, err := r.Record(Stamp{Commit: commit, Date: time.Now()})
			for _, f := range files {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if left := len(r.Results) - len(files); err == nil && left > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d cells are not complete in %s and were left alone\n", left,
					len(r.Results), o.Dir)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Data, "data-sets", nil, "data sets to record (default: all)")
	f.StringSliceVar(&o.Rows, "rows", nil, "rows to record (default: all)")
	f.StringVar(&o.Dir, "out", "", "the folder of the outcomes (default: paper-runs/ID)")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	f.StringVar(&commit, "commit", commit, "the commit that the outcomes are of")
	return cmd
}
