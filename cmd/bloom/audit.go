package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/nodes"

	model "github.com/bloomgml/bloom"
)

func newAudit() *cobra.Command {
	cmd, c := newRunCommand("audit", "Rank the rows, classes, edges and facts of the data that are probably wrong",
		`Rows of features, classes and edges are ranked apart, each by what the rest of the data says when it is left
out, with the probability of being wrong: rows with the columns to look at, classes with the one that fits
and neighbours that have it. It trains what it needs, so that all recipes give the same rankings; of the
model it adds how far h is from π(x) and the energies of edges. Everything is written to audit.json in the
run folder, and the first ones are shown on its page. Where it is known which rows are corrupted, because
--corrupt did it, the detect ratio is the share of them among as many of the first. The last line proposes
a recipe.

Of a run with --task links: all edges, the least likely first, each judged by messages along others alone.

Of a run on a knowledge graph: training and validation facts, by how much worse their ends rank than is usual
for the relation. Training facts are judged as if nobody had told the model about them: entities settle anew
without a part of the facts, and a model of paths sees a graph without them. All are written to audit.csv in
the run folder, and the first ones are shown on its page.`,
		`  bloom train --data csbm:nodes=500 --corrupt rows=0.2 --out spoilt
  bloom audit spoilt
  bloom audit spoilt --top 3 --json
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom audit embedded --top 5`,
		opened.audit)
	f := cmd.Flags()
	f.IntVar(&c.sample, "sample", 0, "of a knowledge graph: judge this many `facts`, drawn at random, 0 for all")
	c.factFlags = []string{"sample"}
	f.IntVar(&c.top, "top", 10, "rows, classes, edges and facts to show, 0 for all; --json prints all unless this "+
		"is given")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	return cmd
}

// auditLine is an audit; the keys stay.
type auditLine struct {
	*nodes.Audit
	DetectRatio *float64      `json:"detect_ratio"` // null where the truth is not known
	Corrupted   int           `json:"corrupted"`
	Histogram   *histogram    `json:"histogram,omitempty"`
	Advice      nodes.Advice  `json:"advice"`
	Evidence    *evidenceLine `json:"evidence"` // null for a baseline
	Kept        *keptLine     `json:"kept,omitempty"`

	evidence, recipe string // for people
}

// histogram counts nodes by the probability that their row is wrong, in equal bins from 0 to 1.
type histogram struct {
	Clean  []int `json:"clean"`
	Spoilt []int `json:"corrupted"`
}

// audit ranks rows, classes and edges.
func (t classesRun) audit(cmd *cobra.Command, c *runCommand) error {
	if c.top < 0 {
		return usage(cmd, "--top is %d, want 0 or more", c.top)
	}
	a, err := t.Task.Audit()
	if err != nil {
		return err
	}
	if err := t.KeepAudit(a); err != nil {
		return err
	}
	page := writePage(t.Dir)
	fmt.Fprintf(cmd.ErrOrStderr(), "%s rows, %s classes and %s edges are judged; all are in %s\n",
		terminal.Thousands(len(a.Rows)), terminal.Thousands(len(a.Labels)), terminal.Thousands(len(a.Edges)),
		terminal.Show(filepath.Join(t.Dir, nodes.AuditFile)))
	noteKept(cmd, t.Data)
	line, err := newAuditLine(t.Task, a)
	if err != nil {
		return err
	}
	if c.top > 0 && (!c.json || cmd.Flags().Changed("top")) {
		line.shorten(c.top)
	}
	if c.json {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(line)
	} else {
		_, err = io.WriteString(cmd.OutOrStdout(), line.text(terminal.Painter(cmd.OutOrStdout())))
		t.afterAudit(cmd, a)
	}
	return cmp.Or(err, page)
}

// afterAudit proposes to look at the first row of an audit, or at the page.
func (t classesRun) afterAudit(cmd *cobra.Command, a *nodes.Audit) {
	next := shell.Command("bloom", "report", t.Dir)
	if len(a.Rows) > 0 && t.Stack != nil {
		next = shell.Command("bloom", "explain", t.Dir, "--node", a.Rows[0].ID)
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "%s  %s\n", terminal.Painter(w).Dim("next"), next)
}

// newAuditLine adds what the model says.
func newAuditLine(t *nodes.Task, a *nodes.Audit) (line *auditLine, err error) {
	line = &auditLine{Audit: a, Kept: newKeptLine(t.Data), recipe: t.Config.Recipe}
	if d := a.Detect; d != nil {
		line.DetectRatio, line.Corrupted, line.Histogram = &d.Ratio, d.Corrupted, &histogram{d.Clean, d.Spoilt}
	}
	var in *model.Inspection
	if t.Stack != nil {
		if in, err = t.Inspect(0); err != nil {
			return nil, err
		}
		levels := []model.Evidence{in.Evidence}
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
func (l *auditLine) shorten(top int) {
	short := *l.Audit
	short.Rows, short.Labels = short.Rows[:min(top, len(short.Rows))], short.Labels[:min(top, len(short.Labels))]
	short.Edges = short.Edges[:min(top, len(short.Edges))]
	l.Audit = &short
}

// text is the audit for people.
func (l *auditLine) text(p terminal.Paint) string {
	var b strings.Builder
	head := func(what string, share float64) {
		fmt.Fprintf(&b, "%s\n", p.Strong(fmt.Sprintf("%s that do not fit, by the probability of being wrong", what))+
			p.Dim(fmt.Sprintf(" (about %.1f %% are)", 100*share)))
	}
	line := func(rank int, name string, probability float64, about string) {
		fmt.Fprintf(&b, "%4d  %-30s %5.1f %%  %s\n", rank, terminal.Show(name), 100*probability,
			p.Dim(terminal.Show(about)))
	}
	if len(l.Rows) > 0 {
		head("Rows", l.Wrong.Rows)
	}
	for _, x := range l.Rows {
		line(x.Rank, x.ID, x.Probability, columnsText(x.Blamed()))
	}
	if len(l.Labels) > 0 {
		head("Classes", l.Wrong.Labels)
	}
	for _, x := range l.Labels {
		line(x.Rank, x.ID, x.Probability, labelText(x))
	}
	if len(l.Edges) > 0 {
		head("Edges", l.Wrong.Edges)
	}
	for _, x := range l.Edges {
		line(x.Rank, x.Source+" – "+x.Target, x.Probability, "")
	}
	if l.DetectRatio != nil {
		fmt.Fprintf(&b, "%s\n", p.Strong("Probabilities of clean and of corrupted rows"))
		l.Histogram.draw(&b, p)
		fmt.Fprintf(&b, "Of %d corrupted nodes %s are among the first %d.\n", l.Corrupted,
			p.Good(fmt.Sprintf("%.1f %%", 100**l.DetectRatio)), l.Corrupted)
	}
	b.WriteString(l.evidence)
	if advice := l.Advice.For(l.recipe); advice != "" {
		b.WriteString(advice + "\n")
	}
	return b.String()
}

// columnsText are the columns to look at first.
func columnsText(list []nodes.ColumnFlag) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%s %s, expected %s", c.Name, written(c.Value), written(c.Expected)))
	}
	return strings.Join(parts, "; ")
}

// written is a number as people write it: whole above a thousand, else with four digits.
func written(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e15 {
		return terminal.Thousands(int(math.Round(x)))
	}
	return fmt.Sprintf("%.4g", x)
}

// labelText is the class that is given, the one that fits, and who has it.
func labelText(x nodes.LabelFlag) string {
	if x.Given == x.Proposed {
		return x.Given + ", and nothing fits better"
	}
	s := x.Given + ", rather " + x.Proposed
	if len(x.Against) > 0 {
		s += " like " + strings.Join(x.Against, ", ")
	}
	return s
}

// draw writes two rows of bars, one for the clean and one for the corrupted nodes, each scaled to its own largest bin.
func (h *histogram) draw(b *strings.Builder, p terminal.Paint) {
	row := func(counts []int) string {
		values := make([]float64, len(counts))
		for i, n := range counts {
			values[i] = float64(n)
		}
		return terminal.Sparkline(values, len(values))
	}
	fmt.Fprintf(b, "  clean      %s\n  corrupted  %s\n             0%*s\n", p.Line(row(h.Clean)), p.Warn(row(h.Spoilt)),
		len(h.Clean)-1, "1")
}

// audit ranks facts.
func (t factsRun) audit(cmd *cobra.Command, c *runCommand) error {
	if c.sample < 0 || c.top < 0 {
		return usage(cmd, "--sample is %d and --top %d, want 0 or more", c.sample, c.top)
	}
	found, err := t.Audit(cmd.Context(), link.AuditOptions{Sample: c.sample})
	if err != nil {
		return err
	}
	if err := keepAudit(t.Dir, found); err != nil {
		return err
	}
	page := writePage(t.Dir)
	fmt.Fprintf(cmd.ErrOrStderr(), "%s facts are judged; all are in %s\n", terminal.Thousands(len(found.Facts)),
		terminal.Show(filepath.Join(t.Dir, link.AuditFile)))
	shown := *found
	if c.top > 0 && (!c.json || cmd.Flags().Changed("top")) {
		shown.Facts = found.Facts[:min(c.top, len(found.Facts))]
	}
	if c.json {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(shown)
	} else {
		_, err = io.WriteString(cmd.OutOrStdout(), factsText(&shown, terminal.Painter(cmd.OutOrStdout())))
	}
	return cmp.Or(err, page)
}

// keepAudit writes an audit to a run folder.
func keepAudit(dir string, a *link.Audit) error {
	return durable.Write(filepath.Join(dir, link.AuditFile), durable.Options{}, a.WriteCSV)
}

// mostShares is how many relations are shown.
const mostShares = 5

// factsText is an audit for people.
func factsText(a *link.Audit, p terminal.Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Strong("Facts that are least expected, with the ranks of tail and head"))
	for _, f := range a.Facts {
		fmt.Fprintf(&b, "%4d  %-52s %s\n", f.Rank, terminal.Show(f.String()),
			p.Dim(fmt.Sprintf("ranks %.4g and %.4g, suspicion %.2f, %s", f.TailRank, f.HeadRank, f.Suspicion, f.Part)))
	}
	fmt.Fprintf(&b, "%s\n", p.Strong(fmt.Sprintf("Relations by their share of the first %d", a.Flagged)))
	for _, s := range a.Relations[:min(mostShares, len(a.Relations))] {
		fmt.Fprintf(&b, "  %5.1f %%  %s %s\n", 100*s.Share, terminal.Show(s.Relation),
			p.Dim(fmt.Sprintf("%d of %d facts", s.Flagged, s.Facts)))
	}
	return b.String()
}
