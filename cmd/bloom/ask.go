package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

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
