package fact

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

// asked is a run about facts.
type asked struct{ *Trained }

// Predict answers a question, or ranks the test facts.
func (t asked) Predict(q *task.Request) error {
	ask, sets := Question(q.Fact), q.Given != nil && q.Given("coverage")
	switch {
	case len(q.Nodes) > 0 && ask != Question{}:
		return task.Usage("--node asks for new facts of any relation; a question has --head or --tail, and --relation")
	case len(q.Nodes) > 0 && q.Top < 1:
		return task.Usage("--top is %d, want 1 or more", q.Top)
	case len(q.Nodes) > 0:
		return t.recommend(q)
	case sets && (ask.Head == "") == (ask.Tail == ""):
		return task.Usage("--coverage is about the answers to a question: give --head or --tail, and --relation")
	case sets && !(q.Coverage > 0 && q.Coverage < 1):
		return task.Usage("--coverage is %g, want a share above 0 and below 1", q.Coverage)
	case ask == Question{}:
		return q.Write(func(w io.Writer) error { return t.WriteRanks(q.Context, w) })
	case ask.Head == "" && ask.Tail == "":
		return task.Usage("a question has one end: give --head or --tail")
	case ask.Relation == "":
		return task.Usage("which relation? name it with --relation")
	case ask.Head != "" && ask.Tail != "":
		return t.judge(q)
	case q.Top < 1:
		return task.Usage("--top is %d, want 1 or more", q.Top)
	}
	if sets {
		return t.covered(q, ask)
	}
	answers, err := t.Ask(ask, q.Top, q.Fresh)
	if err != nil {
		return err
	}
	fmt.Fprintln(q.Say, show.Safe(ask.String()))
	return writeAnswers(q, answers)
}

// recommend lists facts that are not there yet.
func (t asked) recommend(q *task.Request) error {
	var list []Suggestion
	for _, id := range q.Nodes {
		more, err := t.Recommend(id, q.Top)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	return task.Rows(q, []string{"rank", "head", "relation", "tail", "score"}, slices.Values(list),
		func(x Suggestion) []string {
			return []string{strconv.Itoa(x.Rank), x.Head, x.Relation, x.Tail, task.Decimal(x.Score)}
		})
}

// writeAnswers writes a row or an object for every answer; rows include the strongest path if there are paths.
func writeAnswers(q *task.Request, answers []Answer) error {
	header := []string{"rank", "entity", "score", "known"}
	because := slices.ContainsFunc(answers, func(a Answer) bool { return len(a.Paths) > 0 })
	if because {
		header = append(header, "because")
	}
	rank := 0
	return task.Rows(q, header, slices.Values(answers), func(a Answer) []string {
		rank++
		row := []string{strconv.Itoa(rank), a.Entity, task.Decimal(a.Score), strconv.FormatBool(a.Known)}
		switch {
		case because && len(a.Paths) > 0:
			row = append(row, a.Paths[0].Path)
		case because:
			row = append(row, "")
		}
		return row
	})
}

// Embed prints a row an entity.
func (t asked) Embed(q *task.Request) error {
	h, name, err := t.Embedded()
	if err != nil {
		return err
	}
	return q.Embeddings(h, name)
}

// Add embeds the entities of new facts.
func (t asked) Add(q *task.Request) error {
	switch {
	case q.Given("nodes") || q.Given("edges"):
		return task.Usage("--nodes and --edges are for classes of nodes; a knowledge graph takes --triples")
	case q.Steps < 1:
		return task.Usage("--steps is %d, want 1 or more", q.Steps)
	}
	facts, tell, err := q.Triples(t.Data)
	if err != nil {
		return err
	}
	now, added, err := t.Trained.Add(facts, Settle{L: q.Steps})
	if err != nil {
		return err
	}
	fmt.Fprintf(q.Say, "%d new entities with %d facts took %d steps; %d facts between old entities were ignored. No "+
		"relation and no old entity changed.\n",
		len(added.Newcomers), len(added.Facts)-added.Idle, q.Steps, added.Idle)
	tell()
	if q.Save != "" {
		if err := now.Save(q.Save, added); err != nil {
			return err
		}
		fmt.Fprintf(q.Say, "files %s\n", q.Save)
	}
	return task.Rows(q, []string{"entity", "facts", "rank"}, slices.Values(added.Newcomers),
		func(x Newcomer) []string { return []string{x.Entity, strconv.Itoa(x.Facts), task.Decimal(x.Rank)} })
}
