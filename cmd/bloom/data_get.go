package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/terminal"
)

func newDataGet() *cobra.Command {
	var fromDir, mirror string
	cmd := &cobra.Command{
		Use:   "get NAME...",
		Short: "Download sets of the catalogue, verify and cache them",
		Long: `Download sets of the catalogue, verify and cache them.

A download that was cut off goes on where it ended. Files are compared with their pinned size and
sha256; where none is pinned, those of the first download are recorded in the cache (checksums.json)
and hold from then on. A set comes into the cache whole and right, or not at all. Prints the path of
every set.

Without a network, carry the files here and name their folder with --from-dir: laid out as in the
cache, or directly in it, the archive that they come in included.`,
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
	cmd.Flags().StringVar(&fromDir, "from-dir", "", "take the files from this folder and not from the network")
	cmd.Flags().StringVar(&mirror, "mirror", "", "take the files from this address, laid out as the cache")
	return cmd
}

// getData downloads one set and prints its path.
func getData(cmd *cobra.Command, name, from string) error {
	line := terminal.NewProgress(cmd.ErrOrStderr(), name)
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
