package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/show"
)

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
			w := cmd.OutOrStdout()
			if !asJSON {
				return printDataList(w, show.Painter(w), listData())
			}
			encoder := json.NewEncoder(w)
			for _, row := range listData() {
				if err := encoder.Encode(row); err != nil {
					return err
				}
			}
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
		row.Path, row.Where = placeOf(e, built >= 0)
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

// placeOf says where a set of the catalogue is.
func placeOf(e *catalogue.Entry, builtIn bool) (path, where string) {
	path, root := e.Locate()
	switch {
	case path != "" && root == os.Getenv("BLOOM_DATA"):
		return path, placeLocal
	case path != "":
		return path, placeCache
	case builtIn:
		return "", placeBuiltIn
	}
	return "", placeNowhere
}

// dataLine is a line of the table, 80 columns at most.
const dataLine = "%-18s %-9s %9s %9s %8s %7s %4s  %s"

// printDataList writes a table.
func printDataList(w io.Writer, p show.Paint, rows []dataRow) error {
	var text strings.Builder
	text.WriteString(p.Strong(fmt.Sprintf(dataLine, "name", "kind", "nodes", "edges", "features", "classes", "rels",
		"where")) + "\n")
	for _, r := range rows {
		where := r.Where
		if where == placeNowhere {
			where = p.Dim(where)
		} else {
			where = p.Good(where)
		}
		fmt.Fprintf(&text, dataLine+"\n", r.Name, r.Kind, orDash(r.Nodes), orDash(r.Edges),
			orDash(r.Features), orDash(r.Classes), orDash(r.Relations), where)
	}
	_, err := io.WriteString(w, text.String())
	return err
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
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}
