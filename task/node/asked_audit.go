package node

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

// Audit ranks rows, classes and edges.
func (t asked) Audit(q *task.Request) error {
	if q.Top < 0 {
		return task.Usage("--top is %d, want 0 or more", q.Top)
	}
	t = t.alone(q)
	a, err := t.Task.Audit()
	if err != nil {
		return err
	}
	if err := t.KeepAudit(a); err != nil {
		return err
	}
	page := q.Page(t.Dir)
	fmt.Fprintf(q.Say, "%s rows, %s classes and %s edges are judged; all are in %s\n",
		show.Thousands(len(a.Rows)), show.Thousands(len(a.Labels)), show.Thousands(len(a.Edges)),
		show.Safe(filepath.Join(t.Dir, AuditFile)))
	t.noteKept(q)
	line, err := newAuditLine(t.Task, a)
	if err != nil {
		return err
	}
	line.shorten(q.Shown)
	if q.CSV {
		return cmp.Or(task.Rows(q, auditHeader, line.rows, func(row []string) []string { return row }), page)
	}
	err = q.WriteAnswer(line, func() string { return line.text(show.Painter(q.Out)) })
	if !q.JSON {
		next := show.ShellCommand("bloom", "report", t.Dir)
		if len(a.Rows) > 0 && t.Stack != nil {
			next = show.ShellCommand("bloom", "explain", t.Dir, "--node", a.Rows[0].ID)
		}
		fmt.Fprintf(q.Say, "%s  %s\n", show.Painter(q.Say).Dim("next"), next)
	}
	return cmp.Or(err, page)
}

// auditLine is an audit; the JSON keys are stable.
type auditLine struct {
	*Audit
	DetectRatio *float64      `json:"detect_ratio"` // null where the truth is not known
	Corrupted   int           `json:"corrupted"`
	Histogram   *histogram    `json:"histogram,omitempty"`
	Advice      Advice        `json:"advice"`
	Evidence    *evidenceLine `json:"evidence"` // null for a baseline
	Kept        *keptLine     `json:"kept,omitempty"`

	evidence, recipe string // for people
}

// histogram counts nodes by the probability that their row is wrong, in equal bins from 0 to 1.
type histogram struct {
	Clean  []int `json:"clean"`
	Spoilt []int `json:"corrupted"`
}

// newAuditLine adds what the model says.
func newAuditLine(t *Task, a *Audit) (line *auditLine, err error) {
	line = &auditLine{Audit: a, Kept: newKeptLine(t.Data), recipe: t.Config.Recipe}
	if d := a.Detect; d != nil {
		line.DetectRatio, line.Corrupted, line.Histogram = &d.Ratio, d.Corrupted, &histogram{d.Clean, d.Spoilt}
	}
	var in *bloom.Inspection
	if t.Stack != nil {
		if in, err = t.Inspect(0); err != nil {
			return nil, err
		}
		levels := []bloom.Evidence{in.Evidence}
		if len(t.Stack.Levels) > 1 {
			if levels, err = t.Stack.Evidence(t.On); err != nil {
				return nil, err
			}
		}
		line.evidence, line.Evidence = evidenceTexts(levels)+"\n", newEvidenceLine(t.Data, levels)
	}
	line.Advice, err = t.Advise(in)
	return line, err
}

// shorten leaves the first of every ranking.
func (l *auditLine) shorten(shown func(n int) int) {
	short := *l.Audit
	short.Rows, short.Labels = short.Rows[:shown(len(short.Rows))], short.Labels[:shown(len(short.Labels))]
	short.Edges = short.Edges[:shown(len(short.Edges))]
	l.Audit = &short
}

// auditHeader are the columns of the table of an audit.
var auditHeader = []string{"what", "rank", "id", "target", "probability", "given", "proposed", "column", "value",
	"expected"}

// rows yields all rankings as rows of a table.
func (l *auditLine) rows(yield func([]string) bool) {
	row := func(what string, rank int, id, target string, probability float64, more ...string) bool {
		cells := append([]string{what, strconv.Itoa(rank), id, target, real32(probability)}, more...)
		return yield(append(cells, make([]string, len(auditHeader)-len(cells))...))
	}
	for _, x := range l.Rows {
		var more []string
		for _, c := range x.Columns[:min(1, len(x.Columns))] {
			more = []string{"", "", c.Name, real32(c.Value), real32(c.Expected)}
		}
		if !row("row", x.Rank, x.ID, "", x.Probability, more...) {
			return
		}
	}
	for _, x := range l.Labels {
		if !row("class", x.Rank, x.ID, "", x.Probability, x.Given, x.Proposed) {
			return
		}
	}
	for _, x := range l.Edges {
		if !row("edge", x.Rank, x.Source, x.Target, x.Probability) {
			return
		}
	}
}

// suspicious is the minimum probability of the first entry for a ranking to be shown. If the upper estimate of the
// share of wrong things is above the other by untold, it is shown too.
const suspicious, untold = 0.2, 0.1

func (l *auditLine) text(p show.Paint) string {
	var b strings.Builder
	if text := l.clean(); text != "" {
		b.WriteString(text + "\n")
	}
	head := func(what string, share, most float64) {
		text := fmt.Sprintf("about %.1f %% are", 100*share)
		if most >= share+untold {
			text += fmt.Sprintf(", and up to %.0f %% may be, as wrong ones can look right here", 100*most)
		}
		fmt.Fprintf(&b, "%s%s\n", p.Strong(fmt.Sprintf("%s that do not fit, by the probability of being wrong", what)),
			p.Dim(" ("+text+")"))
	}
	line := func(rank int, name string, probability float64, about string) {
		fmt.Fprintf(&b, "%4d  %-30s %5.1f %%  %s\n", rank, show.Safe(name), 100*probability, p.Dim(show.Safe(about)))
	}
	rows, labels, edges := l.shown()
	if len(rows) > 0 {
		head("Rows", l.Wrong.Rows, l.Most.Rows)
	}
	for _, x := range rows {
		line(x.Rank, x.ID, x.Probability, columnsText(x.Blamed()))
	}
	if len(labels) > 0 {
		head("Classes", l.Wrong.Labels, l.Most.Labels)
	}
	for _, x := range labels {
		line(x.Rank, x.ID, x.Probability, labelText(x))
	}
	if len(edges) > 0 {
		head("Edges", l.Wrong.Edges, l.Most.Edges)
	}
	for _, x := range edges {
		line(x.Rank, x.Source+" – "+x.Target, x.Probability, "")
	}
	if l.DetectRatio != nil {
		fmt.Fprintf(&b, "%s\n", p.Strong("Probabilities of clean and of corrupted rows"))
		l.Histogram.writeBars(&b, p)
		fmt.Fprintf(&b, "Of %d corrupted nodes %s are among the first %d.\n", l.Corrupted,
			p.Good(fmt.Sprintf("%.1f %%", 100**l.DetectRatio)), l.Corrupted)
	}
	b.WriteString(l.evidence)
	if advice := l.Advice.For(l.recipe); advice != "" {
		b.WriteString(advice + "\n")
	}
	return b.String()
}

// shown returns the rankings whose first is suspicious.
func (l *auditLine) shown() (rows []RowFlag, labels []LabelFlag, edges []EdgeFlag) {
	return suspects(l.Rows, func(x RowFlag) float64 { return x.Probability }),
		suspects(l.Labels, func(x LabelFlag) float64 { return x.Probability }),
		suspects(l.Edges, func(x EdgeFlag) float64 { return x.Probability })
}

// suspects returns list if its first entry is suspicious, otherwise nil.
func suspects[T any](list []T, probability func(T) float64) []T {
	if len(list) == 0 || probability(list[0]) < suspicious {
		return nil
	}
	return list
}

// clean returns a line about the rankings in which nothing is suspicious; empty if there are none.
func (l *auditLine) clean() string {
	rows, labels, edges := l.shown()
	var what []string
	more := ""
	for _, x := range []struct {
		name, many  string
		all, shown  int
		wrong, most float64
	}{
		{"row", "rows", len(l.Rows), len(rows), l.Wrong.Rows, l.Most.Rows},
		{"class", "classes", len(l.Labels), len(labels), l.Wrong.Labels, l.Most.Labels},
		{"edge", "edges", len(l.Edges), len(edges), l.Wrong.Edges, l.Most.Edges},
	} {
		if x.all == 0 || x.shown > 0 {
			continue
		}
		if what = append(what, x.name); x.most >= x.wrong+untold {
			more += fmt.Sprintf(" Up to %.0f %% of the %s may be wrong all the same, as wrong ones can look right "+
				"here.", 100*x.most, x.many)
		}
	}
	if what == nil {
		return ""
	}
	return fmt.Sprintf("No %s looks wrong: none has a probability of %.0f %% or more.", strings.Join(what, " and no "),
		100*suspicious) + more
}

// columnsText returns the columns to look at first.
func columnsText(list []ColumnFlag) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%s %s, expected %s", c.Name, written(c.Value), written(c.Expected)))
	}
	return strings.Join(parts, "; ")
}

// written returns a number as people write it: whole above a thousand, else with four digits.
func written(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e15 {
		return show.Thousands(int(math.Round(x)))
	}
	return fmt.Sprintf("%.4g", x)
}

// labelText shows the given class, the class that fits better, and the nodes that have it.
func labelText(x LabelFlag) string {
	if x.Given == x.Proposed {
		return x.Given + ", and nothing fits better"
	}
	s := x.Given + ", rather " + x.Proposed
	if len(x.Against) > 0 {
		s += " like " + strings.Join(x.Against, ", ")
	}
	return s
}

// writeBars writes two rows of bars, one for the clean and one for the corrupted nodes, each scaled to its own largest
// bin.
func (h *histogram) writeBars(b *strings.Builder, p show.Paint) {
	row := func(counts []int) string {
		values := make([]float64, len(counts))
		for i, n := range counts {
			values[i] = float64(n)
		}
		return show.Sparkline(values, len(values))
	}
	fmt.Fprintf(b, "  clean      %s\n  corrupted  %s\n             0%*s\n", p.Line(row(h.Clean)), p.Warn(row(h.Spoilt)),
		len(h.Clean)-1, "1")
}
