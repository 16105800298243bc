package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/terminal"
)

// newData is the command `bloom data` with its subcommands.
func newData() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, download, look at, import and export data sets",
		Long: `List, download, look at, import and export data sets.

A data set is named by

  cora                      a name of the catalogue; its files lie in $BLOOM_DATA, or in the cache,
                            $BLOOM_CACHE or bloom in the user's cache folder
  team.bloom, rdf/aifb      a file or a folder; what it is, is recognised from its content:
                            ` + formats() + `
  karate, csbm:homophily=0.2,seed=3
                            a built-in generator, with values for its keys

Only "bloom data get" uses the network.`,
		Example: `  bloom data list
  bloom data info karate
  bloom data info minesweeper:size=50,seed=7 --json`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDataList(), newDataGet(), newDataInfo(), newDataImport(), newDataExport(),
		newDataGenerate(), newDataBlocks())
	return cmd
}

// formats are the texts of all readers, in lines beside the names.
func formats() string {
	var texts []string
	for _, p := range format.Readers.Parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(terminal.Wrap(strings.Join(texts, ", "), 72), "\n"+strings.Repeat(" ", 28))
}

// badRef makes a name that means nothing an error in the command line.
func badRef(cmd *cobra.Command, err error) error {
	var ref *catalogue.RefError
	if errors.As(err, &ref) {
		return usage(cmd, "%w", err)
	}
	return err
}
