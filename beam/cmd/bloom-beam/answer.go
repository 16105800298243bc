package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/config"
)

// asked is a command that runs the descent of a run folder and asks for something.
type asked struct {
	descent
	parts string
	what  string
	top   int
}

func newAsked(use, short, long, what string) (*cobra.Command, *asked) {
	a := &asked{what: what}
	cmd := &cobra.Command{Use: use + " RUN", Short: short, Args: arguments(1), Long: long,
		Example: "  bloom-beam " + use + " runs/big --parts parts --out job"}
	a.flags(cmd)
	cmd.Flags().StringVar(&a.parts, "parts", "", "the `folder` of parts")
	_ = cmd.MarkFlagRequired("parts") // there is such a flag
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.answer(cmd, args[0]) }
	return cmd, a
}

// answer runs the descent, unless that is done already, and then the question.
func (a *asked) answer(cmd *cobra.Command, runDir string) error {
	runDir, err := filepath.Abs(runDir)
	if err != nil {
		return err
	}
	c, err := config.Load(config.Options{File: filepath.Join(runDir, "config.yaml")})
	if err != nil {
		return err
	}
	if err := a.run(cmd, a.parts, *c, runDir); err != nil {
		return err
	}
	dir, err := filepath.Abs(a.out)
	if err != nil {
		return err
	}
	f, err := job.Open(dir)
	if err != nil {
		return err
	}
	if err := pipeline.Answer(cmd.Context(), f, a.what, a.top); err != nil || a.what != pipeline.Suspects {
		return err
	}
	list, err := f.Audited(a.top)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"nodes": list})
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
	}
	return err
}

func newPredict() *cobra.Command {
	cmd, _ := newAsked("predict", "Predict the classes of all nodes by the weights of a run",
		`Writes predictions-PART.csv into the job's folder: id, class, probability, label, split, residual and the
probability of every class. The descent is run first, or found there complete.`, pipeline.Predictions)
	return cmd
}

func newEmbed() *cobra.Command {
	cmd, _ := newAsked("embed", "Write the embeddings of all nodes by the weights of a run",
		"Writes embeddings-PART.csv into the job's folder: id and the numbers of h after the last step.",
		pipeline.Embeddings)
	return cmd
}

func newAudit() *cobra.Command {
	cmd, a := newAsked("audit", "Rank nodes whose features disagree with their neighbourhood",
		`Prints one JSON object with the nodes of the largest ‖h − π(x)‖, as the paper ranks them. bloom audit, which
trains what it needs with everything about a node left out, finds more, on a graph that one machine holds.`,
		pipeline.Suspects)
	cmd.Flags().IntVar(&a.top, "top", 100, "how many")
	return cmd
}
