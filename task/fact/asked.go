package fact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
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

// Explain says why a fact scores as it does.
func (t asked) Explain(q *task.Request) error {
	switch {
	case len(q.Nodes) > 0 || q.Given("fidelity") || q.Influence || q.Label != "" || q.Level != 0:
		return task.Usage("--node, --label, --level, --fidelity and --influence are for classes of nodes; a fact of " +
			"a knowledge graph has --head, --relation and --tail")
	case q.Fact.Head == "" || q.Fact.Relation == "" || q.Fact.Tail == "":
		return task.Usage("which fact? name it with --head, --relation and --tail")
	case q.Top < 0:
		return task.Usage("--top is %d, want 0 or more", q.Top)
	}
	e, err := t.Trained.Explain(Fact(q.Fact), q.Top)
	if err != nil {
		return err
	}
	return q.WriteAnswer(e, func() string { return reasonsText(e, show.Painter(q.Out)) })
}

// reasonsText formats an explanation: a bar to the right supports the fact, a red one contradicts it.
func reasonsText(e *Explanation, p show.Paint) string {
	var b strings.Builder
	fact := show.Safe(fmt.Sprintf("%s –%s→ %s", e.Head, e.Relation, e.Tail))
	fmt.Fprintf(&b, "%s scores %.4g", p.Strong(fact), e.Score)
	switch {
	case len(e.Facts) > 0 && e.Known:
		fmt.Fprintf(&b, "; by all other facts about both ends it would be %.4g", e.Settled)
	case len(e.Facts) > 0:
		fmt.Fprintf(&b, "; by the facts about both ends it is %.4g", e.Settled)
	case e.Known:
		b.WriteString(" if the graph does not have it")
	}
	if e.Literals != 0 {
		fmt.Fprintf(&b, "; numbers and texts add %+.3g", e.Literals)
	}
	b.WriteString("\n")
	if len(e.Facts)+len(e.Paths) == 0 {
		b.WriteString("  nothing in the graph supports or contradicts it\n")
	}
	writeFacts(&b, e, p)
	writePaths(&b, e, p)
	return b.String()
}

// writeFacts writes the facts that affect a score, with how much it drops without each.
func writeFacts(b *strings.Builder, e *Explanation, p show.Paint) {
	if len(e.Facts) == 0 {
		return
	}
	largest := show.Largest(e.Facts, func(f Reason) float64 { return f.Pull })
	fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("%-52s %10s %10s", "pulled by", "pull", "lost")))
	for _, f := range e.Facts {
		fmt.Fprintf(b, "  %-52s %+10.3g %+10.3g %s\n", show.Safe(f.String()), f.Pull, f.Lost,
			show.Pull(f.Pull, largest, p))
	}
	if e.Left > 0 {
		fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("and %d more facts; --top 0 shows all", e.Left)))
	}
}

// writePaths writes the strongest paths with their shares of the derivative.
func writePaths(b *strings.Builder, e *Explanation, p show.Paint) {
	if len(e.Paths) == 0 {
		return
	}
	largest := show.Largest(e.Paths, func(w Way) float64 { return w.Weight })
	fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("%10s %8s  %s", "weight", "share", "path")))
	for _, w := range e.Paths {
		fmt.Fprintf(b, "  %+10.3g %6.1f %%  %s %s\n", w.Weight, 100*w.Share, show.Safe(w.Path),
			show.Pull(w.Weight, largest, p))
	}
}

func (t asked) Audit(q *task.Request) error {
	if q.Sample < 0 || q.Top < 0 {
		return task.Usage("--sample is %d and --top %d, want 0 or more", q.Sample, q.Top)
	}
	found, err := t.Trained.Audit(q.Context, AuditOptions{Sample: q.Sample})
	if err != nil {
		return err
	}
	err = files.Write(filepath.Join(t.Dir, AuditFile), files.WriteOptions{}, found.WriteCSV)
	if err != nil {
		return err
	}
	page := q.Page(t.Dir)
	fmt.Fprintf(q.Say, "%s facts are judged; all are in %s\n", show.Thousands(len(found.Facts)),
		show.Safe(filepath.Join(t.Dir, AuditFile)))
	shown := *found
	shown.Facts = found.Facts[:q.Shown(len(found.Facts))]
	if q.CSV {
		return cmp.Or(q.Write(shown.WriteCSV), page)
	}
	err = q.WriteAnswer(shown, func() string { return factsText(&shown, show.Painter(q.Out)) })
	return cmp.Or(err, page)
}

// mostShares is how many relations are shown.
const mostShares = 5

// factsText returns an audit for people.
func factsText(a *Audit, p show.Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Strong("Least expected facts, with the ranks of tail and head"))
	for _, f := range a.Facts {
		fmt.Fprintf(&b, "%4d  %-52s %s\n", f.Rank, show.Safe(f.String()),
			p.Dim(fmt.Sprintf("ranks %.4g and %.4g, suspicion %.2f, true with probability %.2g, %s", f.TailRank,
				f.HeadRank, f.Suspicion, f.Probability, f.Part)))
	}
	fmt.Fprintf(&b, "%s\n", p.Strong(fmt.Sprintf("Relations by their share of the first %d", a.Flagged)))
	for _, s := range a.Relations[:min(mostShares, len(a.Relations))] {
		fmt.Fprintf(&b, "  %5.1f %%  %s %s\n", 100*s.Share, show.Safe(s.Relation),
			p.Dim(fmt.Sprintf("%d of %d facts", s.Flagged, s.Facts)))
	}
	return b.String()
}

var _ task.Answering = asked{}

// Inputs returns the ends and the relation of facts; the end that is asked for is missing.
func (t asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "head", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "relation", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "tail", Shape: []int64{-1}, Datatype: "BYTES"}}
}

// Outputs returns answers, the best first.
func (t asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "entity", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "score", Shape: []int64{-1, -1}, Datatype: "FP64"},
		{Name: "known", Shape: []int64{-1, -1}, Datatype: "BOOL"}}
}

// Infer answers with n rows of the best answers; a fact with both of its ends has one, its tail.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if err := q.Only("head", "relation", "tail"); err != nil {
		return nil, err
	}
	relations, err := q.Strings("relation")
	if err != nil {
		return nil, err
	}
	heads, err := q.Maybe("head", len(relations))
	if err != nil {
		return nil, err
	}
	tails, err := q.Maybe("tail", len(relations))
	if err != nil {
		return nil, err
	}
	if heads == nil && tails == nil {
		return nil, task.Usage("want head or tail with relation")
	}
	for _, list := range []*[]string{&heads, &tails} {
		if *list == nil {
			*list = make([]string, len(relations))
		}
	}
	rows := make([][]Answer, len(relations))
	for i, r := range relations {
		if rows[i], err = t.answer(heads[i], r, tails[i], q.Top); err != nil {
			return nil, err
		}
	}
	return fillFacts(rows)
}

// answer returns the best answers to a question or, for a whole fact, the answer that is its tail.
func (t asked) answer(head, relation, tail string, top int) ([]Answer, error) {
	q := Question{Head: head, Relation: relation, Tail: tail}
	if head != "" && tail != "" {
		q.Tail, top = "", t.Data.Graph.NumNodes()
	}
	list, err := t.Ask(q, top, false)
	var unknown *keys.Unknown
	if errors.As(err, &unknown) {
		return nil, &task.Missing{Err: err}
	}
	if err != nil || q.Tail == tail {
		return list, err
	}
	for _, a := range list {
		if a.Entity == tail {
			return []Answer{a}, nil
		}
	}
	return nil, &task.Missing{Err: keys.NewUnknown("entity", tail, nil)}
}

// fillFacts returns the output tensors; all questions get the same number of answers, the smallest that any has.
func fillFacts(rows [][]Answer) ([]task.Tensor, error) {
	k := len(rows[0])
	for _, list := range rows {
		k = min(k, len(list))
	}
	var entities []string
	var scores []float64
	var known []bool
	for _, list := range rows {
		for _, a := range list[:k] {
			entities, scores, known = append(entities, a.Entity), append(scores, a.Score), append(known, a.Known)
		}
	}
	shape := []int64{int64(len(rows)), int64(k)}
	return task.Filled(task.Column{Name: "entity", Datatype: "BYTES", Shape: shape, Data: entities},
		task.Column{Name: "score", Datatype: "FP64", Shape: shape, Data: scores},
		task.Column{Name: "known", Datatype: "BOOL", Shape: shape, Data: known})
}
