package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/terminal"
)

func newDataExport() *cobra.Command {
	var format string
	var asJSON bool
	var out output
	cmd := &cobra.Command{
		Use:   "export NAME|PATH FOLDER",
		Short: "Write a data set as tables of nodes and edges",
		Long: `Write a data set as tables of nodes and edges.

Imported tables come back with every id, type and value as it was; sets of the catalogue have features f0, f1 and so on. The
column split says which nodes or links are for training, validation and testing. Prints the command that imports the tables again.
See "bloom data --help" for what can be named.`,
		Example: `  bloom data export karate karate-tables
  bloom data export family family-tables --format jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(cmd, "want a data set and a folder, got %d arguments", len(args))
			}
			if !slices.Contains(table.Formats, table.Format(format)) {
				return usage(cmd, "--format is %q, want one of %q", format, table.Formats)
			}
			d, err := catalogue.Open(args[0])
			if err != nil {
				return badRef(cmd, err)
			}
			defer d.Close()
			spec, err := importer.Export(d, args[1], importer.ExportOptions{Format: format,
				Force: out.force, Inputs: dataInputs(args[0])})
			if err != nil {
				return err
			}
			line := importLine(spec, d.Name)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(exported(spec, line))
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", string(table.CSV), "csv, tsv or jsonl")
	out.forced(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// exportResult is the JSON output of export.
type exportResult struct {
	Nodes  []string `json:"nodes"`
	Edges  []string `json:"edges"`
	Import string   `json:"import"` // the command that imports the tables again
}

func exported(spec importer.Spec, line string) exportResult {
	r := exportResult{Import: line}
	for _, in := range spec.Nodes {
		r.Nodes = append(r.Nodes, in.Table)
	}
	for _, in := range spec.Edges {
		r.Edges = append(r.Edges, in.Table)
	}
	return r
}

// importLine returns the command line of an import.
func importLine(spec importer.Spec, name string) string {
	words := []string{"bloom", "data", "import"}
	add := func(flag string, in importer.Input) {
		if in.Name != "" {
			in.Table = in.Name + "=" + in.Table
		}
		words = append(words, flag, in.Table)
	}
	for _, in := range spec.Nodes {
		add("--nodes", in)
	}
	for _, in := range spec.Edges {
		add("--edges", in)
	}
	if spec.ID != "" {
		words = append(words, "--id", spec.ID)
	}
	if spec.Label != "" {
		words = append(words, "--label", spec.Label)
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Kinds)) {
		words = append(words, "--kind", name+"="+spec.Kinds[name])
	}
	if spec.Direction == importer.Undirected {
		words = append(words, "--undirected")
	} else {
		words = append(words, "--directed")
	}
	if spec.Columns != nil && spec.Label != "" {
		words = append(words, "--edge-columns", "none")
	}
	if spec.Split.None {
		words = append(words, "--split", "none")
	}
	return terminal.Command(append(words, "--out", name+".bloom")...)
}
