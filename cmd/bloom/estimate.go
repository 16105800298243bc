package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/train"
)

// newEstimate is `bloom estimate`.
func newEstimate() *cobra.Command {
	var o config.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "estimate [CONFIG]",
		Short: "Say how many weights, how much memory and how many seconds training needs",
		Long: `Say how many weights, how much memory and how many seconds training needs, without training.

It takes what bloom train takes. The network is built, some epochs of it are timed, and it is thrown away. Memory
is told for each way of differentiating the descent (model.adjoint): it is what training holds beside the data,
namely the graph and the features as the network uses them, weights, and what an epoch works in. The whole
process is larger, as it reads, predicts and writes too; where the system tells its size, so does this.

Where model.hidden, energy.steps or model.layers are so large that training does not fit into the memory that is
free, or there are more than 512 steps or layers, weights and memory are concluded from smaller models and nothing is
timed.

On a knowledge graph an epoch may take hours, so that some batches are timed, and the ranking of some
validation facts.`,
		Example: `  bloom estimate
  bloom estimate --data karate --recipe base
  bloom estimate --data family:families=4 --recipe path
  bloom recipe show robust --data csbm > my.yaml && bloom estimate my.yaml --set model.hidden=256`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "want one config, got %d arguments", len(args))
			}
			o.File, o.Env, o.Flags = strings.Join(args, ""), os.Environ(), shortcuts(cmd)
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
			e, err := estimate(cmd, o)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(e)
			}
			return e.write(cmd.OutOrStdout())
		},
	}
	trainFlags(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the estimate as one JSON object")
	return cmd
}

// estimateLine is an estimate; the keys stay.
type estimateLine struct {
	Data    string       `json:"data"`
	Recipe  string       `json:"recipe"`
	Weights int          `json:"weights"`
	Memory  []memoryLine `json:"memory"`            // that of the config first
	Process int          `json:"process_bytes"`     // the largest size of the process; 0 where it is not known
	Epoch   float64      `json:"seconds_per_epoch"` // with the evaluation's share
	Epochs  int          `json:"epochs"`            // of a run, unless it stops early
	Runs    int          `json:"runs"`
	Seconds float64      `json:"seconds"` // of all runs
	Warning []string     `json:"warnings,omitempty"`
	// concluded from smaller models, as training does not fit into memory, or there are too many steps
	Foreseen bool `json:"foreseen,omitempty"`
	// of a graph that stays on the disk: what is done, the bytes that are read and written, and the seconds of the
	// descent, which is run once and is part of Seconds
	Way    string  `json:"way,omitempty"`
	Disk   int64   `json:"disk_bytes,omitempty"`
	Settle float64 `json:"settle_seconds,omitempty"`
}

// memoryLine is the memory with one adjoint.
type memoryLine struct {
	Adjoint  string  `json:"adjoint,omitempty"` // none for a baseline
	Bytes    int     `json:"bytes"`
	Residual float64 `json:"residual,omitempty"`
	Far      bool    `json:"far,omitempty"` // too far from the fixed point for an implicit derivative
}

// estimate makes an estimate for the config of o.
func estimate(cmd *cobra.Command, o config.Options) (*estimateLine, error) {
	s, err := openSource(cmd, o, false)
	if err != nil {
		return nil, err
	}
	line := &estimateLine{Recipe: s.config.Recipe}
	var e *train.Estimate
	if s.disk != nil {
		line.Data = s.disk.Name()
		e, err = s.disk.Estimate(cmd.Context())
	} else {
		line.Data = s.data.Name
		newTrainText(cmd.ErrOrStderr(), s.kind).begin(s.config, s.data)
		e, line.Process, err = s.kind.Estimate(cmd.Context(), *s.config, s.data, s.ended)
	}
	if err != nil {
		return nil, runError(cmd, err)
	}
	line.fill(e)
	return line, nil
}

// fill takes an estimate over.
func (e *estimateLine) fill(x *train.Estimate) {
	e.Weights, e.Epoch, e.Epochs, e.Runs, e.Seconds, e.Warning = x.Weights, x.Epoch, x.Epochs, x.Runs,
		x.Seconds(), x.Warnings
	e.Foreseen, e.Way, e.Disk, e.Settle = x.Foreseen, x.Way, x.Disk, x.Before
	for _, m := range x.Memory {
		e.Memory = append(e.Memory, memoryLine{m.Adjoint, m.Bytes, m.Residual, m.Far})
	}
}

// write shows an estimate to a person.
func (e *estimateLine) write(w io.Writer) error {
	for _, text := range e.Warning {
		fmt.Fprintln(w, "warning  "+text)
	}
	if e.Way != "" {
		fmt.Fprintf(w, "way      %s\ndisk     %s to read and write\n", e.Way, terminal.Size(int(e.Disk)))
	}
	if e.Settle > 0 {
		fmt.Fprintf(w, "settle   %s\n", terminal.Seconds(e.Settle))
	}
	fmt.Fprintf(w, "weights  %s\n", terminal.Thousands(e.Weights))
	for i, m := range e.Memory {
		name := "memory"
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(w, "%-8s %s\n", name, strings.TrimRight(terminal.Size(m.Bytes)+" "+m.String(), " "))
	}
	if e.Process > 0 {
		fmt.Fprintf(w, "process  %s at most, with the program itself, the data and all that a run ends with\n",
			terminal.Size(e.Process))
	}
	switch {
	case e.Foreseen:
		fmt.Fprintln(w, "epoch    not timed")
		return nil
	case e.Memory[0].Far:
		fmt.Fprintln(w, "epoch    none: training would stop in the first one")
		return nil
	case e.Epochs == 0:
		fmt.Fprintln(w, "epoch    none: there is nothing to train")
		return nil
	}
	fmt.Fprintf(w, "epoch    %s\n", terminal.Seconds(e.Epoch))
	runs := fmt.Sprintf("%d epochs", e.Epochs)
	if e.Runs > 1 {
		runs = fmt.Sprintf("%d runs of %s", e.Runs, runs)
	}
	_, err := fmt.Fprintf(w, "train    %s for %s\n", terminal.Seconds(e.Seconds), runs)
	return err
}

// String is the adjoint, and where it cannot be used, why.
func (m memoryLine) String() string {
	if !m.Far {
		return m.Adjoint
	}
	return fmt.Sprintf("%s, which would fail: the descent ends %.2g from its fixed point, relative to H; more steps, "+
		"or another step size", m.Adjoint, m.Residual)
}
