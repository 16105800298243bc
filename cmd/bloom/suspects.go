package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
)

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
