package fact

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

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

// Audit ranks facts.
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
