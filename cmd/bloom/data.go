package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// newData returns the command `bloom data` with its subcommands.
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(cmd, "want what to generate and a folder, got %d arguments", len(args))
			}
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
			_, err = fmt.Fprintln(cmd.OutOrStdout(), show.ShellCommand("bloom", "data", "import",
				"--nodes", filepath.Join(args[1], "accounts.csv"), "--edges", filepath.Join(args[1], "payments.csv"),
				"--label", "segment", "--out", filepath.Clean(args[1])+".bloom"))
			return err
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
