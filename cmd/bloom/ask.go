package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
)

// askFlags are those that ask a question.
func (c *runCommand) askFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.fact.Head, "head", "", "of a knowledge graph: the `entity` whose tails are asked for")
	f.StringVar(&c.fact.Relation, "relation", "", "the `relation` that is asked about")
	f.StringVar(&c.fact.Tail, "tail", "", "the `entity` whose heads are asked for")
	f.IntVar(&c.top, "top", 10, "answers to show")
	f.BoolVar(&c.fresh, "new", false, "leave out answers that are facts of the graph already")
	c.factFlags = []string{"head", "relation", "tail", "top", "new"}
}

// predict answers a question, or ranks the test facts.
func (t factsRun) predict(cmd *cobra.Command, c *runCommand) error {
	q := link.Question(c.fact)
	switch {
	case len(c.node) > 0:
		return usage(cmd, "--node is for classes of nodes; ask a knowledge graph with --head or --tail, and --relation")
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
	return c.write(cmd, func(w io.Writer) error {
		if c.json {
			return writeAnswersJSON(w, answers)
		}
		return writeAnswers(w, answers)
	})
}

func writeAnswersJSON(w io.Writer, answers []link.Answer) error {
	enc := json.NewEncoder(w)
	for _, a := range answers {
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// writeAnswers writes a row for every answer, with its strongest path where there are paths.
func writeAnswers(w io.Writer, answers []link.Answer) error {
	out := csv.NewWriter(w)
	header, because := []string{"rank", "entity", "score", "known"}, false
	for _, a := range answers {
		because = because || len(a.Paths) > 0
	}
	if because {
		header = append(header, "because")
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for i, a := range answers {
		row := []string{strconv.Itoa(i + 1), a.Entity, strconv.FormatFloat(a.Score, 'g', 6, 64),
			strconv.FormatBool(a.Known)}
		if because {
			row = append(row, strongest(a))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// strongest is the path that speaks most for an answer, empty where there is none.
func strongest(a link.Answer) string {
	if len(a.Paths) == 0 {
		return ""
	}
	return a.Paths[0].Path
}
