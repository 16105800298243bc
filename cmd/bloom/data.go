package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/show"
)

func newData() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, download, describe, import and export data sets",
		Long: `List, download, describe, import and export data sets.

A data set is named by

  cora                      a name of the catalogue; its files are in $BLOOM_DATA, or in the cache,
                            $BLOOM_CACHE or bloom in the user's cache folder
  team.bloom, rdf/aifb      a file or a folder; the format is recognised from its content:
                            ` + formats() + `
  karate, csbm:homophily=0.2,seed=3
                            a built-in generator, with values for its keys

Only "bloom data get" uses the network.`,
		Example: `  bloom data list
  bloom data info karate
  bloom data info minesweeper:size=50,seed=7 --json`,
		Args: command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDataList(), newDataGet(), newDataInfo(), newDataImport(), newDataExport(),
		newDataGenerate(), newDataBlocks())
	return cmd
}

// formats returns the descriptions of all readers, a line each next to the name.
func formats() string {
	var texts []string
	for _, p := range format.Readers.Parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(show.Wrap(strings.Join(texts, ", "), 72), "\n"+strings.Repeat(" ", 28))
}

// badRef makes a name that means nothing an error in the command line.
func badRef(cmd *cobra.Command, err error) error {
	var ref *catalogue.RefError
	if errors.As(err, &ref) {
		return usage(cmd, "%w", err)
	}
	return err
}

func newDataGenerate() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "generate company[:KEY=VALUE,…] FOLDER",
		Short: "Write the tables of an invented company, with planted errors, to try things on",
		Long: `Write the tables of an invented company, with planted errors, to try things on.

accounts.csv has businesses in five segments with dates, zip codes, numbers, notes and gaps, a few of them
fraudulent; payments.csv has who pays whom. Some numbers, segments and payments are wrong on purpose: truth.csv lists
them, and no other command reads it. Keys are accounts, payments, the shares fraud, outliers, labels and edges, and seed;
the same values give the same files. Prints the command that imports the tables.`,
		Example: `  bloom data generate company company
  bloom data generate company:accounts=500,payments=1500,seed=7 small`,
		Args: command.Args(2, 2, "what to generate and a folder, got %d arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, values, _ := strings.Cut(args[0], ":")
			if name != "company" {
				return usage(cmd, "%w", keys.NewUnknown("generator of tables", name, []string{"company"}))
			}
			tables, err := generate.Company(values)
			if err != nil {
				return usage(cmd, "%w", err)
			}
			if err := writeTables(args[1], tables, out.rules(isCompany)); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), show.ShellCommand("bloom", "data", "import",
				"--nodes", filepath.Join(args[1], "accounts.csv"), "--edges", filepath.Join(args[1], "payments.csv"),
				"--label", "segment", "--out", filepath.Clean(args[1])+".bloom"))
			return nil
		},
	}
	out.forced(cmd)
	return cmd
}

// writeTables writes tables into a folder, all that may be written or none.
func writeTables(dir string, tables []generate.Table, rules files.WriteOptions) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range tables {
		if err := rules.Allow(filepath.Join(dir, t.Name+".csv")); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := files.Write(filepath.Join(dir, t.Name+".csv"), rules, t.WriteCSV); err != nil {
			return err
		}
	}
	return nil
}

func newDataList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sets of the catalogue and the generators, and where they are",
		Long: `List the sets of the catalogue and the generators, and where they are.

Figures are the published ones; rels is the number of relations. Where is "local" (in
$BLOOM_DATA), "cache" (downloaded), "built in" (generated) or "not here" (see bloom data get).`,
		Example: `  bloom data list
  bloom data list --json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printAll(cmd, listData())
			}
			w := cmd.OutOrStdout()
			printDataList(w, show.Painter(w), listData())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per set")
	return cmd
}

// Places of data sets.
const (
	placeLocal   = "local"
	placeCache   = "cache"
	placeBuiltIn = "built in"
	placeNowhere = "not here"
)

// dataRow is a line of the list; its keys are stable. Figures of a generator depend on its values and are left out.
type dataRow struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Kind      string `json:"kind"`
	Nodes     int    `json:"nodes,omitempty"`
	Edges     int    `json:"edges,omitempty"`
	Features  int    `json:"features"`
	Classes   int    `json:"classes"`
	Relations int    `json:"relations"`
	Where     string `json:"where"`
	Path      string `json:"path,omitempty"`
}

// listData lists the catalogue and then the generators that have no entry there.
func listData() []dataRow {
	var rows []dataRow
	generators := generate.All()
	for _, e := range catalogue.All() {
		row := dataRow{
			Name: e.Name, Title: e.Title, Kind: string(e.Task), Nodes: e.Nodes, Edges: e.Edges, Features: e.Features,
			Classes: e.Classes, Relations: e.Relations,
		}
		built := slices.IndexFunc(generators, func(g generate.Generator) bool { return g.Name == e.Name })
		path, root := e.Locate()
		switch row.Path = path; {
		case path != "" && root == os.Getenv("BLOOM_DATA"):
			row.Where = placeLocal
		case path != "":
			row.Where = placeCache
		case built >= 0:
			row.Where = placeBuiltIn
		default:
			row.Where = placeNowhere
		}
		if built >= 0 {
			generators = slices.Delete(generators, built, built+1)
		}
		rows = append(rows, row)
	}
	for _, g := range generators {
		rows = append(rows, dataRow{Name: g.Name, Title: g.About, Kind: "generated", Where: placeBuiltIn})
	}
	return rows
}

// dataLine is a line of the table, 80 columns at most.
const dataLine = "%-18s %-9s %9s %9s %8s %7s %4s  %s"

func printDataList(w io.Writer, p show.Paint, rows []dataRow) {
	fmt.Fprintln(w, p.Strong(fmt.Sprintf(dataLine, "name", "kind", "nodes", "edges", "features", "classes", "rels",
		"where")))
	for _, r := range rows {
		where := r.Where
		if where == placeNowhere {
			where = p.Dim(where)
		} else {
			where = p.Good(where)
		}
		fmt.Fprintf(w, dataLine+"\n", r.Name, r.Kind, orDash(r.Nodes), orDash(r.Edges),
			orDash(r.Features), orDash(r.Classes), orDash(r.Relations), where)
	}
}

// orDash returns a count with its thousands set off, or a dash for none.
func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return show.Thousands(n)
}

func newDataGet() *cobra.Command {
	var fromDir, mirror string
	cmd := &cobra.Command{
		Use:   "get NAME...",
		Short: "Download sets of the catalogue, verify and cache them",
		Long: `Download sets of the catalogue, verify and cache them.

An interrupted download is resumed. Files are checked against their pinned size and sha256; if none is
pinned, those of the first download are recorded in the cache (checksums.json) and checked from then on.
Only complete and verified sets enter the cache. Prints the path of every set.

Without a network, copy the files or their archive to this machine and give their folder as --from-dir,
either laid out as in the cache or all directly in it.`,
		Example: `  bloom data get cora
  bloom data get WN18RR_v1 fb237_v1
  bloom data get ogbn-arxiv --from-dir /media/stick
  bloom data get cora --mirror https://mirror.example.org/bloom`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage(cmd, "want the name of a set; bloom data list shows them")
			case fromDir != "" && mirror != "":
				return usage(cmd, "--from-dir and --mirror exclude each other")
			}
			for _, name := range args {
				if err := getData(cmd, name, fromDir+mirror); err != nil {
					return badRef(cmd, err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&fromDir, "from-dir", "", "take the files from this folder instead of the network")
	cmd.Flags().StringVar(&mirror, "mirror", "", "take the files from this address, laid out as the cache")
	return cmd
}

// getData downloads one set and prints its path.
func getData(cmd *cobra.Command, name, from string) error {
	line := show.NewProgress(cmd.ErrOrStderr(), name)
	path, err := catalogue.Get(cmd.Context(), name, catalogue.Options{
		From:     from,
		Progress: func(file string, done, total int64) { line.Set(done, total, file) },
	})
	line.End()
	if err == nil {
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return err
}
