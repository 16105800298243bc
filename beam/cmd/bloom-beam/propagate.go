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
)

// descent is a command that runs one: the flags that all of them have.
type descent struct {
	out   string
	chunk int
}

func (d *descent) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.out, "out", "", "the `folder` of the job; one that was stopped goes on")
	cmd.Flags().IntVar(&d.chunk, "chunk", 0, "steps of a pipeline, after which states are written (default 4)")
	_ = cmd.MarkFlagRequired("out") // there is such a flag
}

// run brings a job to its last step.
func (d *descent) run(cmd *cobra.Command, folder string, c config.Config, runDir string) error {
	if d.chunk < 0 {
		return usageError{fmt.Errorf("--chunk %d: want a number of steps", d.chunk)}
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	s, err := job.NewSpec(folder, c, runDir)
	if err != nil {
		return err
	}
	if err := job.Begin(d.out, s); err != nil {
		return err
	}
	return pipeline.Propagate(cmd.Context(), d.out, pipeline.Options{Chunk: d.chunk, Progress: func(round, steps int) {
		fmt.Fprintf(cmd.ErrOrStderr(), "step %d of %d\n", round, steps)
	}})
}

func newPropagate() *cobra.Command {
	var d descent
	var recipe string
	var set []string
	cmd := &cobra.Command{Use: "propagate PARTS", Short: "Run the descent of a recipe on features",
		Long: `The states of all nodes after the L steps of a recipe, beginning at their features; where the descent is
linear with one more column that began as 1. They are the files state-PART-L of the job's folder.`,
		Example: "  bloom-beam propagate parts --recipe base --set energy.steps=8 --out job", Args: arguments(1)}
	d.flags(cmd)
	cmd.Flags().StringVar(&recipe, "recipe", "base", "whose energy and descent")
	cmd.Flags().StringArrayVar(&set, "set", nil, "set a `key=value` of the config")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := parts.Open(args[0])
		if err != nil {
			return err
		}
		c, err := config.Load(config.Options{Recipe: recipe, Data: f.Data, Set: set, Env: os.Environ()})
		if err != nil {
			return err
		}
		return d.run(cmd, args[0], *c, "")
	}
	return cmd
}
