package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
)

// askFlags are those that ask a question.
func (c *runCommand) askFlags(cmd *cobra.Command) {
	c.nameFact(cmd, "of a knowledge graph: the `entity` whose tails are asked for",
		"the `relation` that is asked about", "the `entity` whose heads are asked for")
	cmd.Flags().IntVar(&c.top, "top", 10, "answers to show")
	cmd.Flags().BoolVar(&c.fresh, "new", false, "leave out answers that are facts of the graph already")
	c.factFlags = append(c.factFlags, "top", "new")
}

// nameFact are the flags that name a fact, with what each of them says.
func (c *runCommand) nameFact(cmd *cobra.Command, head, relation, tail string) {
	f := cmd.Flags()
	f.StringVar(&c.fact.Head, "head", "", head)
	f.StringVar(&c.fact.Relation, "relation", "", relation)
	f.StringVar(&c.fact.Tail, "tail", "", tail)
	c.factFlags = []string{"head", "relation", "tail"}
}

// predict answers a question, or ranks the test facts.
func (t factsRun) predict(cmd *cobra.Command, c *runCommand) error {
	q := link.Question(c.fact)
	switch {
	case len(c.node) > 0 && q != link.Question{}:
		return usage(cmd, "--node asks for new facts of any relation; a question has --head or --tail, and --relation")
	case len(c.node) > 0 && c.top < 1:
		return usage(cmd, "--top is %d, want 1 or more", c.top)
	case len(c.node) > 0:
		return t.recommend(cmd, c)
	case q == link.Question{}:
		return c.write(cmd, func(w io.Writer) error { return t.WriteRanks(cmd.Context(), w) })
	case (q.Head == "") == (q.Tail == ""):
		return usage(cmd, "a question has one end: give --head or --tail")
	case q.Relation == "":
		return usage(cmd, "which relation? name it with --relation")
	case c.top < 1:
		return usage(cmd, "--top is %d, want 1 or more", c.top)
	}
	answers, err := t.Ask(q, c.top, c.fresh)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), terminal.Show(q.String()))
	return c.write(cmd, func(w io.Writer) error { return c.writeAnswers(w, answers) })
}

// recommend lists facts that are not there yet.
func (t factsRun) recommend(cmd *cobra.Command, c *runCommand) error {
	var list []link.Suggestion
	for _, id := range c.node {
		more, err := t.Recommend(id, c.top)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	return c.write(cmd, func(w io.Writer) error {
		return writeRows(w, c.json, []string{"rank", "head", "relation", "tail", "score"}, slices.Values(list),
			func(x link.Suggestion) []string {
				return []string{strconv.Itoa(x.Rank), x.Head, x.Relation, x.Tail, decimal(x.Score)}
			})
	})
}

// writeAnswers writes a row or an object for every answer, rows with the strongest path where there are paths.
func (c *runCommand) writeAnswers(w io.Writer, answers []link.Answer) error {
	header := []string{"rank", "entity", "score", "known"}
	because := slices.ContainsFunc(answers, func(a link.Answer) bool { return len(a.Paths) > 0 })
	if because {
		header = append(header, "because")
	}
	rank := 0
	return writeRows(w, c.json, header, slices.Values(answers), func(a link.Answer) []string {
		rank++
		row := []string{strconv.Itoa(rank), a.Entity, decimal(a.Score), strconv.FormatBool(a.Known)}
		switch {
		case because && len(a.Paths) > 0:
			row = append(row, a.Paths[0].Path)
		case because:
			row = append(row, "")
		}
		return row
	})
}

// explain says why a fact scores as it does.
func (t factsRun) explain(cmd *cobra.Command, c *runCommand) error {
	switch {
	case len(c.node) > 0 || cmd.Flags().Changed("fidelity") || c.label != "" || c.level != 0:
		return usage(cmd, "--node, --label, --level and --fidelity are for classes of nodes; a fact of a knowledge "+
			"graph has --head, --relation and --tail")
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
