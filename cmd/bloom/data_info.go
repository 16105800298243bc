package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/analysis"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/terminal"
)

func newDataInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info NAME|PATH",
		Short: "Show what a data set holds, how classes and edges go together, and what leaks",
		Long: `Show what a data set holds, how classes and edges go together, and what leaks.

Edges are counted once and without self loops; of triple files those of the training file, while nodes
are the entities of all files. Of an inductive pair the training graph is shown. Adjusted homophily is
0 where edges ignore classes and 1 where they join equal ones only; label informativeness is the
share of what is unknown about the class of a node that the class of a neighbour tells.
See "bloom data --help" for what can be named.`,
		Example: `  bloom data info karate
  bloom data info csbm:homophily=0.1,seed=2
  bloom data info family --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "want one data set, got %d", len(args))
			}
			found, err := describeData(args[0])
			if err != nil {
				return badRef(cmd, err)
			}
			w := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(w).Encode(found)
			}
			return printDataInfo(w, terminal.Painter(w), found)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// dataInfo is what info shows; its keys, and those of the description, are stable.
type dataInfo struct {
	analysis.Description
	Adjusted        *float64 `json:"adjusted_homophily,omitempty"`
	Informativeness *float64 `json:"label_informativeness,omitempty"`
	Title           string   `json:"title,omitempty"`
	License         string   `json:"license,omitempty"`
	Cite            string   `json:"cite,omitempty"`
}

// describeData opens a data set, describes it and closes it.
func describeData(ref string) (*dataInfo, error) {
	d, err := catalogue.Open(ref)
	if err != nil {
		return nil, err
	}
	found := &dataInfo{Description: analysis.Describe(d)}
	if h := found.Homophily; h != nil {
		found.Adjusted, found.Informativeness = &h.Adjusted, &h.Informativeness
	}
	if e := catalogue.Find(ref); e != nil && d.Name == e.Name {
		found.Title, found.License, found.Cite = e.Title, e.License, e.Cite
	}
	return found, d.Close()
}
