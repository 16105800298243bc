package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/show"
)

func newDataExport() *cobra.Command {
	var tables, to string
	var asJSON bool
	var out output
	cmd := &cobra.Command{
		Use:   "export NAME|PATH FOLDER",
		Short: "Write a data set as tables of nodes and edges, or for PyTorch Geometric",
		Long: `Write a data set as tables of nodes and edges, or for PyTorch Geometric.

Imported tables come back with every id, type and value as it was; sets of the catalogue have features f0, f1 and so on. The
column split says which nodes or links are for training, validation and testing. Prints the command that imports the tables again.
--to pyg writes a file .pt instead of a folder, which torch.load reads, and prints the line of Python that makes a Data or
HeteroData of it: x, edge_index, edge_weight, edge_attr, y, masks, and the ids as node_id.
See "bloom data --help" for what can be named.`,
		Example: `  bloom data export karate karate-tables
  bloom data export family family-tables --format jsonl
  bloom data export karate karate.pt --to pyg`,
		Args: command.Args(2, 2, "a data set and a folder, got %d arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != "tables" && to != "pyg" {
				return usage(cmd, "--to is %q, want tables or pyg", to)
			}
			if !slices.Contains(table.Formats, table.Format(tables)) {
				return usage(cmd, "--format is %q, want one of %q", tables, table.Formats)
			}
			d, err := catalogue.Open(args[0])
			if err != nil {
				return badRef(cmd, err)
			}
			defer d.Close()
			if to == "pyg" {
				return exportGeometric(cmd, args, d, out.force, asJSON)
			}
			spec, err := importer.Export(d, args[1], importer.ExportOptions{Format: tables,
				Force: out.force, Inputs: dataInputs(args[0])})
			if err != nil {
				return err
			}
			line := importLine(spec, d.Name)
			return printLine(cmd, asJSON, exported(spec, line), line)
		},
	}
	cmd.Flags().StringVar(&tables, "format", string(table.CSV), "csv, tsv or jsonl")
	cmd.Flags().StringVar(&to, "to", "tables", "tables, or pyg for a file of PyTorch Geometric")
	out.forced(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// exportGeometric writes a file for PyTorch Geometric and prints how to read it.
func exportGeometric(cmd *cobra.Command, args []string, d *dataset.Dataset, force, asJSON bool) error {
	path := args[1]
	class, err := format.WriteGeometric(path, d, force, dataInputs(args[0])...)
	if err != nil {
		return err
	}
	load := fmt.Sprintf("torch_geometric.data.%s.from_dict(torch.load(%q))", class, path)
	return printLine(cmd, asJSON, map[string]string{"out": path, "load": load}, load)
}

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
	return show.ShellCommand(append(words, "--out", name+".bloom")...)
}
