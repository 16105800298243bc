package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/internal/shell"
)

func newDataGenerate() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "generate company[:KEY=VALUE,…] FOLDER",
		Short: "Write the tables of a company that does not exist, with planted mistakes, to try things on",
		Long: `Write the tables of a company that does not exist, with planted mistakes, to try things on.

accounts.csv has businesses of five segments with dates, zip codes, numbers, notes and gaps, of which a few are
fraudulent; payments.csv who pays whom. Some numbers, segments and payments are wrong on purpose: truth.csv says which,
and no other command reads it. Keys are accounts, payments, the shares fraud, outliers, labels and edges, and seed;
the same values give the same files. Prints the command that imports the tables.`,
		Example: `  bloom data generate company company
  bloom data generate company:accounts=500,payments=1500,seed=7 small`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(cmd, "want what to generate and a folder, got %d arguments", len(args))
			}
			name, values, _ := strings.Cut(args[0], ":")
			if name != "company" {
				return usage(cmd, "%w", nearest.NewUnknown("generator of tables", name, []string{"company"}))
			}
			tables, err := generate.Company(values)
			if err != nil {
				return usage(cmd, "%w", err)
			}
			if err := writeTables(args[1], tables, out.rules(isCompany)); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), shell.Command("bloom", "data", "import",
				"--nodes", filepath.Join(args[1], "accounts.csv"), "--edges", filepath.Join(args[1], "payments.csv"),
				"--label", "segment", "--out", filepath.Clean(args[1])+".bloom"))
			return err
		},
	}
	out.forced(cmd)
	return cmd
}

// writeTables writes tables into a folder, all that may be written or none.
func writeTables(dir string, tables []generate.Table, rules durable.Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range tables {
		if err := rules.Allow(filepath.Join(dir, t.Name+".csv")); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := durable.Write(filepath.Join(dir, t.Name+".csv"), rules, t.WriteCSV); err != nil {
			return err
		}
	}
	return nil
}
