package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/internal/paper"
)

// newPaper is `bloom paper`.
func newPaper() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Repeat the tables and figures of the paper: paper, ours, gap",
		Example: `  bloom paper list
  bloom paper show noise
  bloom paper run lp
  bloom paper run noise --data-sets cora --seeds 3`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPaperList(), newPaperShow(), newPaperRun(), newPaperRecord())
	return cmd
}

func newPaperList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tables and figures: name, label in the paper, recorded cells of all, what it is",
		Example: `  bloom paper list`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, e := range paper.Experiments() {
				cells, err := e.Cells()
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

func newPaperShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a table as it is recorded, without running anything",
		Example: `  bloom paper show momentum
  bloom paper show noise --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := experiment(cmd, args)
			if err != nil {
				return err
			}
			r, err := paper.Recorded(e)
			if err != nil {
				return err
			}
			return showPaper(cmd, r, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// paperRun is the command that runs a table.
type paperRun struct {
	options paper.Options
	out     output
	resume  bool
	json    bool
}

func newPaperRun() *cobra.Command {
	c := &paperRun{}
	cmd := &cobra.Command{
		Use:   "run ID",
		Short: "Run a table or figure and show it beside the paper's",
		Long: `Run a table or figure and show it beside the paper's.

Every seed that is done is kept as a file in the folder of --out; a run that was stopped goes on from
there, and so does one with more seeds. Figures are written into the folder as SVG and PNG. Rows whose
data is not on this machine are left out: it says which files are missing and where they go.`,
		Example: `  bloom paper run lp
  bloom paper run noise --data-sets cora,citeseer --seeds 3
  bloom paper run momentum --resume=false`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.IntVar(&c.options.Seeds, "seeds", 0, "runs of every cell (default: what its file says)")
	f.IntVar(&c.options.Jobs, "jobs", 1, "runs of a cell at the same time; threads are divided among them")
	f.StringSliceVar(&c.options.Data, "data-sets", nil, "data sets to run (default: all)")
	f.StringSliceVar(&c.options.Rows, "rows", nil, "rows to run (default: all)")
	c.out.flags(cmd, "the folder for outcomes and figures (default: paper-runs/ID)")
	f.BoolVar(&c.resume, "resume", true, "take what is in the folder already; --resume=false measures it again")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line of the table")
	return cmd
}

func (c *paperRun) run(cmd *cobra.Command, args []string) error {
	e, err := experiment(cmd, args)
	if err != nil {
		return err
	}
	o := c.options
	if o.Seeds < 0 {
		return usage(cmd, "%d seeds, want 1 or more", o.Seeds)
	}
	if o.Jobs < 1 {
		return usage(cmd, "%d jobs, want 1 or more", o.Jobs)
	}
	if err := enoughThreads(cmd, o.Jobs); err != nil {
		return err
	}
	defer jobs.Divide(o.Jobs)()
	o.Dir, o.Fresh = paperFolder(e, c.out.path), !c.resume
	o.Say = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	r, err := paper.Run(cmd.Context(), e, o)
	if err != nil {
		return runError(cmd, err)
	}
	for _, f := range r.Figures() {
		files, err := f.Save(o.Dir, c.out.force)
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "figure", strings.Join(files, " "))
	}
	if err := showPaper(cmd, r, c.json); err != nil {
		return err
	}
	for _, m := range r.Missing {
		fmt.Fprintf(cmd.ErrOrStderr(), "left out: %v\n", m)
	}
	return nil
}

// paperFolder is where outcomes are kept; tables with the same rows share it.
func paperFolder(e *paper.Experiment, out string) string {
	if out != "" {
		return out
	}
	return filepath.Join("paper-runs", e.Folder())
}

// experiment is the one that a command line names.
func experiment(cmd *cobra.Command, args []string) (*paper.Experiment, error) {
	if len(args) != 1 {
		return nil, usage(cmd, "want the name of one table or figure, got %d arguments; bloom paper list lists them",
			len(args))
	}
	e, err := paper.Find(args[0])
	if err != nil {
		return nil, usage(cmd, "%w; bloom paper list lists them", err)
	}
	return e, nil
}

// showPaper prints the table.
func showPaper(cmd *cobra.Command, r *paper.Report, asJSON bool) error {
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

func newPaperRecord() *cobra.Command {
	var o paper.Options
	var root, commit string
	cmd := &cobra.Command{
		Use:   "record ID",
		Short: "Write what a run gave into the files of a checkout",
		Long: `Write what a run gave into the files of a checkout, internal/paper/cells/ID/ROW-DATA.yaml. Cells that have not run
with all their seeds are left alone. A number below its target is refused until the file says under
"tried" what was tried.`,
		Example: `  bloom paper record noise --commit $(git rev-parse --short HEAD)`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := experiment(cmd, args)
			if err != nil {
				return err
			}
			if commit == "" {
				return usage(cmd, "this program does not know its commit: say --commit")
			}
			o.Dir, o.Kept = paperFolder(e, o.Dir), true
			r, err := paper.Run(cmd.Context(), e, o)
			if err != nil {
				return err
			}
			files, err := r.Record(root, paper.Stamp{Commit: commit, Date: time.Now()})
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
	f.StringVar(&root, "package", "internal/paper", "the folder of package paper in the checkout")
	f.StringVar(&commit, "commit", builtFrom(), "the commit that the outcomes are of")
	return cmd
}

// builtFrom is the commit that this program was built from, empty where it is not known.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
