package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/train"
)

func newEstimate() *cobra.Command {
	var o config.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "estimate [CONFIG]",
		Short: "Estimate the parameters, memory and time that training needs",
		Long: `Estimate the parameters, memory and time that training needs, without training.

It takes the arguments of bloom train, builds the network and times a few epochs. Memory is given for each way of
differentiating the descent (model.adjoint): it is what training needs in addition to the data, that is the graph and
the features as the network uses them, parameters and working memory. The whole process is larger, as it also reads,
predicts and writes; its size is shown if the system reports it.

If training would not fit into free memory, or has more than 512 steps or layers, parameters and memory are extrapolated
from smaller models and nothing is timed.

On a knowledge graph an epoch may take hours, so only some batches, and the ranking of some validation facts, are
timed.`,
		Example: `  bloom estimate
  bloom estimate --data karate --recipe base
  bloom estimate --data family:families=4 --recipe path
  bloom recipe show robust --data csbm > my.yaml && bloom estimate my.yaml --set model.hidden=256`,
		Args: command.Args(0, 1, "one config, got %d arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File, o.Env, o.Flags = strings.Join(args, ""), os.Environ(), shortcuts(cmd)
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
			e, err := estimate(cmd, o)
			if err != nil {
				return err
			}
			return printFound(cmd, asJSON, e, e.write)
		},
	}
	trainFlags(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the estimate as one JSON object")
	return cmd
}

type estimateLine struct {
	Data   string `json:"data"`
	Recipe string `json:"recipe"`
	*train.Estimate
	Process int     `json:"process_bytes"` // the largest size of the process; 0 if it is not known
	Total   float64 `json:"seconds"`       // of all runs
}

func estimate(cmd *cobra.Command, o config.Options) (*estimateLine, error) {
	s, err := openSource(cmd, o, false)
	if err != nil {
		return nil, err
	}
	line := &estimateLine{Recipe: s.config.Recipe}
	if s.disk != nil {
		line.Data = s.disk.Name()
		line.Estimate, err = s.disk.Estimate(cmd.Context())
	} else {
		line.Data = s.data.Name
		newTrainText(cmd.ErrOrStderr(), s.kind).printHeader(s.config, s.data)
		line.Estimate, line.Process, err = s.kind.Estimate(cmd.Context(), *s.config, s.data, s.ended)
	}
	if err != nil {
		return nil, runError(cmd, err)
	}
	line.Total = line.Seconds()
	return line, nil
}

// write shows an estimate to a person.
func (e *estimateLine) write(w io.Writer, _ show.Paint) {
	for _, text := range e.Warnings {
		fmt.Fprintln(w, "warning  "+text)
	}
	if e.Way != "" {
		fmt.Fprintf(w, "way      %s\ndisk     %s to read and write\n", e.Way, show.Size(int(e.Disk)))
	}
	if e.Before > 0 {
		fmt.Fprintf(w, "settle   %s\n", show.Seconds(e.Before))
	}
	fmt.Fprintf(w, "params   %s\n", show.Thousands(e.Weights))
	for i, m := range e.Memory {
		name := "memory"
		if i > 0 {
			name = ""
		}
		why := m.Adjoint
		if m.Far {
			why += fmt.Sprintf(", which would fail: the descent ends %.2g from its fixed point, relative to H; more "+
				"steps, or another step size", m.Residual)
		}
		fmt.Fprintf(w, "%-8s %s\n", name, strings.TrimRight(show.Size(m.Bytes)+" "+why, " "))
	}
	if e.Process > 0 {
		fmt.Fprintf(w, "process  %s at most, including the program, the data and what a run writes at its end\n",
			show.Size(e.Process))
	}
	switch {
	case e.Foreseen:
		fmt.Fprintln(w, "epoch    not timed")
		return
	case e.Memory[0].Far:
		fmt.Fprintln(w, "epoch    none: training would stop in the first one")
		return
	case e.Epochs == 0:
		fmt.Fprintln(w, "epoch    none: there is nothing to train")
		return
	}
	fmt.Fprintf(w, "epoch    %s\n", show.Seconds(e.Epoch))
	runs := fmt.Sprintf("%d epochs", e.Epochs)
	if e.Runs > 1 {
		runs = fmt.Sprintf("%d runs of %s", e.Runs, runs)
	}
	fmt.Fprintf(w, "train    %s for %s\n", show.Seconds(e.Total), runs)
}
