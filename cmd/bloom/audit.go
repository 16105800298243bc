package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/nodes"
)

func newAudit() *cobra.Command {
	cmd, c := newRunCommand("audit", "Rank the rows, edges and facts of the data that are probably wrong",
		`Nodes are ranked by ‖h − π(x)‖: how much what a node's features say differs from what its neighbourhood
settled on. Edges are ranked by their energy. Where it is known which rows are corrupted, because --corrupt
did it, the detect ratio is the share of them among as many of the first. The last line proposes a recipe.

Of a run on a knowledge graph: training and validation facts, by how much worse their ends rank than is usual
for the relation. Training facts are judged as if nobody had told the model about them: entities settle anew
without a part of the facts, and a model of paths sees a graph without them. All are written to audit.csv in
the run folder, and the first ones are shown on its page.`,
		`  bloom train --data csbm --corrupt rows=0.2 --recipe robust --out spoilt
  bloom audit spoilt
  bloom audit spoilt --top 3 --json
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom audit embedded --top 5`,
		opened.audit)
	f := cmd.Flags()
	f.IntVar(&c.sample, "sample", 0, "of a knowledge graph: judge this many `facts`, drawn at random, 0 for all")
	c.factFlags = []string{"sample"}
	f.IntVar(&c.top, "top", 10, "nodes, edges and facts to show, 0 for all; --json prints all unless this is given")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	return cmd
}

// auditLine is an audit; the keys stay.
type auditLine struct {
	Nodes       []flaggedNode `json:"nodes"`
	Edges       []flaggedEdge `json:"edges"`
	DetectRatio *float64      `json:"detect_ratio"` // null where the truth is not known
	Corrupted   int           `json:"corrupted"`
	Histogram   *histogram    `json:"histogram,omitempty"`
	Advice      nodes.Advice  `json:"advice"`
	Evidence    *evidenceLine `json:"evidence"`
}

// histogram counts nodes by residual, in equal bins from 0 to Max.
type histogram struct {
	Max    float64 `json:"max"`
	Clean  []int   `json:"clean"`
	Spoilt []int   `json:"corrupted"`
}

type flaggedNode struct {
	ID       string  `json:"id"`
	Residual float64 `json:"residual"`
	Rank     int     `json:"rank"` // from 1
}

type flaggedEdge struct {
	From   string  `json:"from"`
	To     string  `json:"to"`
	Energy float64 `json:"energy"`
	Rank   int     `json:"rank"`
}

// audit ranks nodes and edges.
func (t classesRun) audit(cmd *cobra.Command, c *runCommand) error {
	a, err := t.Task.Audit()
	if err != nil {
		return err
	}
	advice, err := t.Task.Advise(a)
	if err != nil {
		return err
	}
	if c.json && !cmd.Flags().Changed("top") {
		c.top = 0
	}
	line := c.auditLine(t.Trained, a)
	line.Advice, line.Evidence = advice, newEvidenceLine(&a.Evidence)
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(line)
	}
	_, err = io.WriteString(cmd.OutOrStdout(),
		line.text(terminal.Painter(cmd.OutOrStdout()))+evidenceText(a.Evidence)+"\n"+advice.String()+"\n")
	return err
}

// auditLine puts names to the first of a ranking.
func (c *runCommand) auditLine(t *nodes.Trained, a *nodes.Audit) auditLine {
	first := func(n int) int {
		if c.top > 0 {
			return min(c.top, n)
		}
		return n
	}
	line := auditLine{Nodes: []flaggedNode{}, Edges: []flaggedEdge{}}
	for i, n := range a.Nodes[:first(len(a.Nodes))] {
		line.Nodes = append(line.Nodes, flaggedNode{t.Data.NodeName(n.Node), n.Residual, i + 1})
	}
	for i, e := range a.Edges[:first(len(a.Edges))] {
		line.Edges = append(line.Edges, flaggedEdge{t.Data.NodeName(e.U), t.Data.NodeName(e.V), e.Energy, i + 1})
	}
	if d := a.Detect; d != nil {
		line.DetectRatio, line.Corrupted = &d.Ratio, d.Corrupted
		line.Histogram = &histogram{d.Max, d.Clean, d.Spoilt}
	}
	return line
}

// text is the audit for people.
func (l auditLine) text(p terminal.Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Strong("Nodes that disagree most with their own features"))
	for _, n := range l.Nodes {
		fmt.Fprintf(&b, "%4d  %-30s ‖h − π(x)‖ %.4g\n", n.Rank, terminal.Show(n.ID), n.Residual)
	}
	fmt.Fprintf(&b, "%s\n", p.Strong("Edges that pull apart most"))
	for _, e := range l.Edges {
		fmt.Fprintf(&b, "%4d  %-30s energy %.4g\n", e.Rank, terminal.Show(e.From+" – "+e.To), e.Energy)
	}
	if l.DetectRatio != nil {
		fmt.Fprintf(&b, "%s\n", p.Strong("Residuals of clean and of corrupted nodes"))
		l.Histogram.draw(&b, p)
		fmt.Fprintf(&b, "Of %d corrupted nodes %s are among the first %d.\n", l.Corrupted,
			p.Good(fmt.Sprintf("%.1f %%", 100**l.DetectRatio)), l.Corrupted)
	}
	return b.String()
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
		len(h.Clean)-1, fmt.Sprintf("%.3g", h.Max))
}
