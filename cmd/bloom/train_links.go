package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/report"
	"github.com/bloomgml/bloom/run"
	"github.com/spf13/cobra"
)

// trainLinks runs and shows a training on a knowledge graph.
func (c *trainCommand) trainLinks(cmd *cobra.Command, cfg *config.Config, d *dataset.Dataset, o nodes.Options) error {
	text := linkText{newTrainText(cmd.ErrOrStderr())}
	text.begin(cfg, d)
	result, err := link.Run(cmd.Context(), *cfg, d, link.Options{Dir: o.Dir, Resume: o.Resume, Progress: text.progress})
	text.line.end()
	if err != nil {
		return runError(cmd, err)
	}
	if err := report.Write(o.Dir); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "there is no report.html: %v\n", err)
	}
	text.end(cfg, result)
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), linkHeadline(result))
	return err
}

// linkText is what bloom train tells a person about a knowledge graph.
type linkText struct{ *trainText }

// begin says what is about to be trained.
func (t linkText) begin(c *config.Config, d *dataset.Dataset) {
	fmt.Fprintf(t.w, "%s on %s\n", t.paint.strong(c.Recipe), t.paint.strong(d.Name))
	t.say("  ", fmt.Sprintf("%s entities, %s relations, %s facts", thousands(d.Graph.NumNodes()), thousands(d.Graph.NumRelations()), thousands(d.Graph.NumEdges())))
	if on := link.Tested(*c, d); on != d {
		t.say("  ", fmt.Sprintf("tested on another graph: %s entities, %s facts", thousands(on.Graph.NumNodes()), thousands(on.Graph.NumEdges())))
	}
}

// progress shows an epoch: on a terminal as one line that moves, elsewhere now and then.
func (t linkText) progress(e run.Event) {
	note := fmt.Sprintf("loss %.3f", e.Loss)
	if !math.IsNaN(e.Best.Valid) {
		note += fmt.Sprintf("  valid MRR %.3f", e.Best.Valid)
	}
	t.show(e, note, "")
}

// end says what came out, what it means, and what to do next.
func (t linkText) end(c *config.Config, r *link.Result) {
	for _, w := range r.Warnings {
		t.say("", t.paint.warn("warning:")+" "+w)
	}
	if len(r.Test.Runs) > 0 {
		t.say("", t.meaning(r))
		fmt.Fprint(t.w, scoresText(r.Ranking))
	}
	if text := config.Expected(c.Recipe, strings.ToLower(r.Data)); text != "" {
		t.say("", "The recipe says: "+text+".")
	}
	fmt.Fprintf(t.w, "%s %s\n%s  %s\n", t.paint.dim("files"), r.Run, t.paint.dim("next"), t.next(c, r))
}

// meaning is the result in sentences.
func (t linkText) meaning(r *link.Result) string {
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(" by the best of %d runs", len(r.Test.Runs))
	}
	return fmt.Sprintf("Asked for either end of %s test facts, %s of the answers come first and %s are among the first ten%s, %s; it took %s for %s weights.",
		thousands(r.Ranking.Facts), t.paint.good(fmt.Sprintf("%.1f %%", 100*r.Ranking.Hits1)), t.paint.good(fmt.Sprintf("%.1f %%", 100*r.Ranking.Hits10)), runs,
		link.About(r.Ranking.Protocol), short(time.Duration(r.Seconds*float64(time.Second))), thousands(r.Weights))
}

// scoresText is a table of scores by rule of ties.
func scoresText(r *metric.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-13s %7s %7s %7s %7s %11s\n", "ties", "MRR", "Hits@1", "Hits@3", "Hits@10", "Hits@10_50")
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"realistic", r.Scores}, {"optimistic", r.Optimistic}, {"pessimistic", r.Pessimistic}} {
		of50 := "–"
		if r.Protocol == metric.Full {
			of50 = fmt.Sprintf("%.4f", s.Hits10of50)
		}
		fmt.Fprintf(&b, "%-13s %7.4f %7.4f %7.4f %7.4f %11s\n", s.name, s.MRR, s.Hits1, s.Hits3, s.Hits10, of50)
	}
	return b.String()
}

// next is the command to type next: a question about the first test fact.
func (t linkText) next(c *config.Config, r *link.Result) string {
	d := link.Tested(*c, r.Trained.Data)
	if config.IsBaseline(c.Recipe) || len(d.Test) == 0 {
		return "bloom report " + r.Run
	}
	f := d.Test[0]
	return fmt.Sprintf("bloom predict %s --head %s --relation %s", r.Run, quoted(d.IDs.At(f.U)), quoted(d.Relations[f.R]))
}

// quoted is a word of a command line.
func quoted(word string) string {
	if strings.ContainsAny(word, " \t'\"$&;()*?[]<>|\\`!#~") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// linkHeadline is the result for standard output.
func linkHeadline(r *link.Result) string {
	switch {
	case len(r.Test.Runs)+len(r.Valid.Runs) == 0:
		return "no validation and no test facts"
	case len(r.Test.Runs) == 0:
		return fmt.Sprintf("no test facts, validation %s %.4f", r.Metric, r.Valid.Mean)
	}
	text := fmt.Sprintf("test %s %.4f", r.Metric, r.Test.Mean)
	if n := len(r.Test.Runs); n > 1 {
		text += fmt.Sprintf(" ± %.4f over %d runs", r.Test.SD, n)
	}
	return text + fmt.Sprintf(", validation %.4f (%s)", r.Valid.Mean, r.Ranking.Protocol)
}
