package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
)

// explain says why a fact scores as it does.
func (t factsRun) explain(cmd *cobra.Command, c *runCommand) error {
	switch {
	case len(c.node) > 0 || cmd.Flags().Changed("fidelity") || c.label != "":
		return usage(cmd, "--node, --label and --fidelity are for classes of nodes; a fact of a knowledge graph has "+
			"--head, --relation and --tail")
	case c.fact.Head == "" || c.fact.Relation == "" || c.fact.Tail == "":
		return usage(cmd, "which fact? name it with --head, --relation and --tail")
	case c.top < 0:
		return usage(cmd, "--top is %d, want 0 or more", c.top)
	}
	e, err := t.Explain(c.fact, c.top)
	if err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(e)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), reasonsText(e, terminal.Painter(cmd.OutOrStdout())))
	return err
}

// reasonsText is an explanation for people: a bar to the right speaks for the fact, a red one against it.
func reasonsText(e *link.Explanation, p terminal.Paint) string {
	var b strings.Builder
	fact := terminal.Show(fmt.Sprintf("%s –%s→ %s", e.Head, e.Relation, e.Tail))
	fmt.Fprintf(&b, "%s scores %.4g", p.Strong(fact), e.Score)
	switch {
	case len(e.Facts) > 0 && e.Known:
		fmt.Fprintf(&b, "; by all other facts about both ends it would be %.4g", e.Settled)
	case len(e.Facts) > 0:
		fmt.Fprintf(&b, "; by the facts about both ends it is %.4g", e.Settled)
	case e.Known:
		b.WriteString(" if the graph does not have it")
	}
	b.WriteString("\n")
	if len(e.Facts)+len(e.Paths) == 0 {
		b.WriteString("  nothing in the graph speaks for it or against it\n")
	}
	writeFacts(&b, e, p)
	writePaths(&b, e, p)
	return b.String()
}

// writeFacts writes the facts that pull at a score, with what it loses without each.
func writeFacts(b *strings.Builder, e *link.Explanation, p terminal.Paint) {
	if len(e.Facts) == 0 {
		return
	}
	largest := terminal.Largest(e.Facts, func(f link.Reason) float64 { return f.Pull })
	fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("%-52s %10s %10s", "pulled by", "pull", "lost")))
	for _, f := range e.Facts {
		fmt.Fprintf(b, "  %-52s %+10.3g %+10.3g %s\n", terminal.Show(f.String()), f.Pull, f.Lost,
			terminal.Pull(f.Pull, largest, p))
	}
	if e.Left > 0 {
		fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("and %d more facts; --top 0 shows all", e.Left)))
	}
}

// writePaths writes the strongest paths with their shares of the derivative.
func writePaths(b *strings.Builder, e *link.Explanation, p terminal.Paint) {
	if len(e.Paths) == 0 {
		return
	}
	largest := terminal.Largest(e.Paths, func(w link.Way) float64 { return w.Weight })
	fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("%10s %8s  %s", "weight", "share", "path")))
	for _, w := range e.Paths {
		fmt.Fprintf(b, "  %+10.3g %6.1f %%  %s %s\n", w.Weight, 100*w.Share, terminal.Show(w.Path),
			terminal.Pull(w.Weight, largest, p))
	}
}
