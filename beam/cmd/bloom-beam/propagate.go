package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/native"
)

// descent is a command that runs one: the flags that all of them have.
type descent struct {
	out   string
	chunk int
}

func (d *descent) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.out, "out", "", "the `folder` of the job; a stopped job in it is resumed")
	cmd.Flags().IntVar(&d.chunk, "chunk", 0, "steps per pipeline, after which states are written (default 4)")
	_ = cmd.MarkFlagRequired("out") // there is such a flag
}

// run brings a job to its last step.
func (d *descent) run(cmd *cobra.Command, folder string, c config.Config, runDir string) error {
	if d.chunk < 0 {
		return usageError{fmt.Errorf("--chunk is %d, want 0 or more", d.chunk)}
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	s, err := job.NewSpec(folder, c, runDir)
	if err != nil {
		return err
	}
	if err := job.CreateFolder(d.out, s); err != nil {
		return err
	}
	return pipeline.Propagate(cmd.Context(), d.out, pipeline.Options{Chunk: d.chunk,
		Progress: func(round, steps int) { fmt.Fprintf(cmd.ErrOrStderr(), "step %d of %d\n", round, steps) }})
}

// settle writes the set of the labelled rows of a linear descent.
func (d *descent) settle(path string) error {
	dir, err := filepath.Abs(d.out)
	if err != nil {
		return err
	}
	set, err := job.Settled(dir)
	if err != nil {
		return err
	}
	return native.Write(path, set)
}

func newPropagate() *cobra.Command {
	var d descent
	var recipe, settled string
	var set []string
	cmd := &cobra.Command{Use: "propagate PARTS", Short: "Run the descent of a recipe on features",
		Long: `Writes the states of all nodes after the L steps of a recipe, starting from their features, to the files
state-PART-L in the job's folder; if the descent is linear, with one more column that started as 1. With --settled
the labelled nodes become a data set on which bloom train trains a linear π and g as on the whole graph.`,
		Example: `  bloom-beam propagate parts --recipe base --out job --settled settled.bloom
  bloom train --data settled.bloom --recipe base --set model.before=1`, Args: arguments(1)}
	d.flags(cmd)
	cmd.Flags().StringVar(&recipe, "recipe", "base", "the recipe whose energy and descent are run")
	cmd.Flags().StringArrayVar(&set, "set", nil, "set a `key=value` of the config")
	cmd.Flags().StringVar(&settled, "settled", "", "write the rows of labelled nodes as a data set to this `file`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := parts.Open(args[0])
		if err != nil {
			return err
		}
		c, err := config.Load(config.Options{Recipe: recipe, Data: f.Data, Set: set, Env: os.Environ()})
		if err != nil {
			return err
		}
		if err := d.run(cmd, args[0], *c, ""); err != nil || settled == "" {
			return err
		}
		return d.settle(settled)
	}
	return cmd
}
