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
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/terminal"
)

func newDataList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sets of the catalogue and the generators, and where they are",
		Long: `List the sets of the catalogue and the generators, and where they are.

Figures are those that were published; rels counts the relations of edges. Where is "local" (in
$BLOOM_DATA), "cache" (downloaded), "built in" (generated) or "not here" (see bloom data get).`,
		Example: `  bloom data list
  bloom data list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := cmd.OutOrStdout()
			if !asJSON {
				return printDataList(w, terminal.Painter(w), listData())
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a set")
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
func printDataList(w io.Writer, p terminal.Paint, rows []dataRow) error {
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

// orDash is a count with its thousands set off, or a dash for none.
func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return terminal.Thousands(n)
}
