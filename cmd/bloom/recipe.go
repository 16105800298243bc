package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
)

func newRecipe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recipe",
		Short: "List the recipes and baselines, and show their settings",
		Example: `  bloom recipe list
  bloom recipe show robust --data cora`,
		Args: command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRecipeList(), newRecipeShow())
	return cmd
}

// recipeLine is a recipe in the list; the keys stay.
type recipeLine struct {
	Name     string   `json:"name"`
	Summary  string   `json:"summary"`
	Source   string   `json:"source"`
	Baseline bool     `json:"baseline"`
	Data     []string `json:"data"` // the data sets that it has settings for
}

func newRecipeList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List recipes and baselines: name, what it is, where it comes from",
		Long: `List recipes and baselines: name, what it is, where it comes from.

The source of a recipe is a label of the paper's LaTeX; the source of a baseline is its authors.`,
		Example: `  bloom recipe list
  bloom recipe list --json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printAll(cmd, recipeLines())
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, line := range recipeLines() {
				fmt.Fprintf(table, "%s\t%s\t%s\n", line.Name, line.Summary, line.Source)
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line")
	return cmd
}

// recipeLines returns recipes, then baselines.
func recipeLines() []recipeLine {
	var lines []recipeLine
	for _, name := range config.Names() {
		summary, source := config.About(name)
		lines = append(lines, recipeLine{name, summary, source, config.IsBaseline(name),
			append([]string{}, config.SettingsFor(name)...)})
	}
	return lines
}

func newRecipeShow() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print the config of a recipe, every key with a comment",
		Long: `Print the config of a recipe, every key with a comment.

This is the config that bloom train uses: save it, change it, train with it. The first comment gives the
result to expect, if it was measured. Without a name, the recipe that suits the data of --data is printed.`,
		Example: `  bloom recipe show robust
  bloom recipe show base --data cora > my.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && (len(args) > 0 || data == "") {
				return usage(cmd, "want the name of one recipe, got %d; bloom recipe list shows them", len(args))
			}
			c, err := effective(cmd, config.Options{Recipe: strings.Join(args, ""), Data: data})
			var at *files.Error
			if errors.As(err, &at) && at.File == "--recipe" {
				return usage(cmd, "%s", at.Text)
			}
			if err != nil {
				return err
			}
			_, err = show.Data(cmd.OutOrStdout()).Write(c.YAML())
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "the data set whose settings to show (default: that of a plain "+
		"bloom train)")
	return cmd
}
