package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/show"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check config files, show what they amount to, list the keys",
		Example: `  bloom config keys
  bloom config show --recipe robust --data cora --set train.epochs=200
  bloom config schema`,
		Args: command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigSchema(), newConfigCheck(), newConfigShow(), newConfigKeys())
	return cmd
}

// loadConfig is config.Load with the kinds of error that become exit codes: a mistake in a file is a data error, a
// mistake in a flag or a variable is a usage error. File - is the standard input.
func loadConfig(cmd *cobra.Command, o config.Options) (*config.Config, error) {
	if o.File != "" && o.Text == nil {
		text, err := readFile(cmd, o.File)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, badData(fmt.Errorf("%s: there is no such file", o.File))
		case err != nil:
			return nil, badData(err)
		}
		o.Text = append([]byte{}, text...)
		if o.File == "-" {
			o.File = "stdin"
		}
	}
	var unsuited error // of the data, and not of the config
	if suit := o.Suit; suit != nil {
		o.Suit = func(n config.Named) (c config.Choice, err error) {
			c, unsuited = suit(n)
			return c, unsuited
		}
	}
	c, err := config.Load(o)
	var at *files.Error
	switch {
	case err == nil:
		return c, nil
	case unsuited != nil:
		return nil, unsuited
	case errors.As(err, &at) && o.File != "" && at.File == o.File:
		return nil, badData(err)
	}
	return nil, usage(cmd, "%w", err)
}

func newConfigSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of config files, for editors",
		Example: `  bloom config schema
  bloom config schema > bloom.schema.json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Schema())
			return err
		},
	}
}

func newConfigCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a config file: keys, types, ranges",
		Long: `Check a config file: keys, types, ranges. The first error is reported with its line and column, and the
exit code is 3. FILE may be - for standard input. BLOOM_* variables are ignored.`,
		Example: `  bloom recipe show robust > my.yaml
  bloom config check my.yaml`,
		Args: command.Args(1, 1, "one file, got %d"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := loadConfig(cmd, config.Options{File: args[0]})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, %s on %s\n", args[0], c.Recipe, c.Data.Name)
			return nil
		},
	}
}

func newConfigShow() *cobra.Command {
	var o config.Options
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Print the config that a file, variables and flags amount to",
		Long: `Print the config that a file, variables and flags amount to, every key with a comment.

Later sources win: the settings of the recipe for the data set, the file, BLOOM_* variables
(BLOOM_TRAIN_EPOCHS for train.epochs), --set in order, then --recipe and --data. Elements of lists are
numbered, as in energy.f.0.lambda; the number may be left out if there is one element. FILE may be - for
standard input. If the data is your own file and no recipe is named, one is chosen from its content, as
in bloom train.`,
		Example: `  bloom config show --set train.epochs=200 --set energy.f.lambda=5
  bloom config show --recipe gcn --data cora`,
		Args: command.Args(0, 1, "one file, got %d"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = strings.Join(args, "")
			o.Env = os.Environ()
			c, err := effective(cmd, o)
			if err != nil {
				return err
			}
			_, err = show.Data(cmd.OutOrStdout()).Write(c.YAML())
			return err
		},
	}
	configFlags(cmd, &o)
	return cmd
}

// effective returns the config that training would take. Only the user's own data is opened for it, because its
// content matters.
func effective(cmd *cobra.Command, o config.Options) (*config.Config, error) {
	var d *dataset.Dataset
	o.Suit = func(n config.Named) (config.Choice, error) {
		if catalogue.File(n.Data) == "" {
			return config.Choice{}, nil
		}
		return opener(cmd, &d, advised)(n)
	}
	return loadConfig(cmd, o)
}

// configFlags adds the flags of every command that takes a config.
func configFlags(cmd *cobra.Command, o *config.Options) {
	f := cmd.Flags()
	f.StringVar(&o.Recipe, "recipe", "", "a recipe or a baseline; bloom recipe list shows them")
	f.StringVar(&o.Task, "task", "", "what is predicted: `links`, which nodes are joined (default: what the data is "+
		"about)")
	f.StringVar(&o.Data, "data", "", "a catalogue name, a file or a folder")
	f.StringArrayVar(&o.Set, "set", nil, "`key=value` to change in the config, as train.epochs=200; may be repeated")
}

func newConfigKeys() *cobra.Command {
	return &cobra.Command{
		Use:     "keys",
		Short:   "List the keys of config files: what each takes and what it means",
		Example: `  bloom config keys`,
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, k := range config.Keys() {
				takes := strings.TrimSpace(string(k.Kind) + " " + k.Range)
				if len(k.Words) > 0 && k.Kind == keys.Text {
					takes = "word"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\n", k.Path, takes, k.Doc)
			}
			return table.Flush()
		},
	}
}
