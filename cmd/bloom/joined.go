package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/pairs"
	"github.com/bloomgml/bloom/run"
)

// joined is the kind of runs that tell which nodes are joined.
type joined struct{}

// joinedRun is such a run, open.
type joinedRun struct{ *pairs.Trained }

func (joined) open(dir string, c *config.Config, d *dataset.Dataset) (opened, error) {
	t, err := pairs.Load(dir, *c, d)
	return joinedRun{t}, err
}

func (joined) train(ctx context.Context, c config.Config, d *dataset.Dataset, o run.Options) (*run.Result, error) {
	return pairs.Run(ctx, c, d, o)
}

func (joined) tried(ctx context.Context, c config.Config, d *dataset.Dataset,
	progress func(run.Event)) (float64, error) {
	r, err := pairs.Run(ctx, c, d, run.Options{Progress: progress})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

func (joined) check(c config.Config, d *dataset.Dataset) (string, error) { return pairs.Check(c, d) }

func (joined) epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64,
	error) {
	e, err := pairs.NewEstimate(ctx, c, d, limit)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

func (joined) estimate(ctx context.Context, c config.Config, d *dataset.Dataset) (*run.Estimate, int, error) {
	e, err := pairs.NewEstimate(ctx, c, d, 0)
	return e, int(host.Peak()), err
}

func (joined) size(c *config.Config, d *dataset.Dataset) []string {
	return append([]string{fmt.Sprintf("%s nodes, %s edges, %s features; %.3g %% of the edges choose the epoch and "+
		"%.3g %% test", terminal.Thousands(d.Graph.NumNodes()), terminal.Thousands(d.Graph.NumEdges()),
		terminal.Thousands(d.NumFeatures()), 100*c.Pairs.Valid, 100*c.Pairs.Test)}, d.Notes...)
}

func (joined) note(e run.Event) string { return lossAndValid(e) }

func (joined) meaning(p terminal.Paint, _ *config.Config, r *run.Result) string {
	if len(r.Test.Runs) == 0 {
		return ""
	}
	m, _ := metric.ByName(r.Metric)
	return fmt.Sprintf("%s %s; it took %s for %s weights.", p.Good(m.Text(r.Test.Mean)), m.About(metric.TaskLinks),
		terminal.Seconds(r.Seconds), terminal.Thousands(r.Weights))
}

// details are all metrics of the test edges.
func (joined) details(r *run.Result) string {
	var b strings.Builder
	for _, m := range r.Metrics {
		if len(m.Test.Runs) > 0 {
			fmt.Fprintf(&b, "%-18s %s\n", m.Metric, scored(m.Test))
		}
	}
	return b.String()
}

func (joined) headline(r *run.Result) string { return headline(r, "edges", "") }

// next asks for links of the first node.
func (joined) next(_ *config.Config, r *run.Result) string {
	return shell.Command("bloom", "predict", r.Run, "--node", pairs.Of(r).Data.NodeName(0), "--top", "10")
}

// writeLinks writes a row or an object for every pair.
func (c *runCommand) writeLinks(w io.Writer, links []pairs.Link) error {
	return writeRows(w, c.json, []string{"rank", "source", "target", "probability", "common"},
		slices.Values(links), func(x pairs.Link) []string {
			return []string{fmt.Sprint(x.Rank), x.Source, x.Target, decimal(x.Probability), fmt.Sprint(x.Common)}
		})
}

// predict recommends links of nodes, or scores the held-out pairs.
func (t joinedRun) predict(cmd *cobra.Command, c *runCommand) error {
	if c.top < 1 {
		return usage(cmd, "--top is %d, want 1 or more", c.top)
	}
	if len(c.node) == 0 {
		return c.write(cmd, t.WritePredictions)
	}
	var links []pairs.Link
	for _, id := range c.node {
		list, err := t.Recommend(id, c.top)
		if err != nil {
			return usage(cmd, "%w", err)
		}
		links = append(links, list...)
	}
	return c.write(cmd, func(w io.Writer) error { return c.writeLinks(w, links) })
}

// embed prints a row a node.
func (t joinedRun) embed(cmd *cobra.Command, c *runCommand) error {
	return c.writeRows(cmd, t.Embed(), t.Data.NodeName)
}

// explain takes the score of a pair apart.
func (t joinedRun) explain(cmd *cobra.Command, c *runCommand) error {
	if c.fidelity > 0 || c.label != "" || c.level != 0 {
		return usage(cmd, "--fidelity, --label and --level are for classes of nodes")
	}
	if len(c.node) != 2 {
		return usage(cmd, "which pair? name its two nodes with --node, got %d", len(c.node))
	}
	e, err := t.Explain(c.node[0], c.node[1], c.top)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(e)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), pairText(e, terminal.Painter(cmd.OutOrStdout())))
	return err
}

// pairText is an explanation for people: a bar to the right speaks for the link, one to the left against it.
func pairText(e *pairs.Explanation, p terminal.Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s and %s: probability %s", p.Strong(terminal.Show(e.Source)), p.Strong(terminal.Show(e.Target)),
		p.Good(fmt.Sprintf("%.2f", e.Probability)))
	if e.Joined {
		b.WriteString(", as if the edge that joins them were not there")
	}
	fmt.Fprintf(&b, "\n  %d common neighbours", len(e.Shared))
	if len(e.Shared) > 0 {
		fmt.Fprintf(&b, ": %s", terminal.Show(strings.Join(e.Shared, ", ")))
	}
	fmt.Fprintf(&b, "\n  %s\n", p.Dim(fmt.Sprintf("%-40s %10s", "edges that speak for it or against it", "pull")))
	for _, x := range e.Edges {
		fmt.Fprintf(&b, "  %-40s %+10.3g %s\n", terminal.Show(x.Source+" – "+x.Target), x.Pull,
			terminal.Pull(x.Pull, max(e.Edges[0].Pull, -e.Edges[0].Pull), p))
	}
	if e.Left > 0 {
		fmt.Fprintf(&b, "  %s\n", p.Dim(fmt.Sprintf("and %d more edges; --top 0 shows all", e.Left)))
	}
	return b.String()
}

// audit ranks the edges of the graph.
func (t joinedRun) audit(cmd *cobra.Command, c *runCommand) error {
	links, err := t.Audit()
	if err != nil {
		return err
	}
	if c.top > 0 && (!c.json || cmd.Flags().Changed("top")) {
		links = links[:min(c.top, len(links))]
	}
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{"edges": links})
	}
	p := terminal.Painter(cmd.OutOrStdout())
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Strong("Edges that are least expected, each judged as if it were not there"))
	for _, x := range links {
		fmt.Fprintf(&b, "%4d  %-40s probability %.4f, %d common neighbours\n", x.Rank,
			terminal.Show(x.Source+" – "+x.Target), x.Probability, x.Common)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// add recommends links of new nodes.
func (t joinedRun) add(cmd *cobra.Command, c *runCommand) error {
	n, report, err := c.newcomers(cmd, t.Data)
	if err != nil {
		return err
	}
	now, err := t.Add(n)
	if err != nil {
		return runError(cmd, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d new nodes with %d edges; %d missing values were filled. No weight changed.\n",
		len(n.IDs), len(n.Edges), n.Filled)
	tellArrivals(cmd, report, n.Notes)
	if c.save != "" {
		if err := saveJoined(c.save, now); err != nil {
			return runError(cmd, err)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "files %s\nnext  %s\n", terminal.Show(c.save),
			shell.Command("bloom", "predict", c.save, "--node", n.IDs[0], "--top", "10"))
	}
	var links []pairs.Link
	for _, id := range n.IDs {
		list, err := now.Recommend(id, addedLinks)
		if err != nil {
			return err
		}
		links = append(links, list...)
	}
	return c.write(cmd, func(w io.Writer) error { return c.writeLinks(w, links) })
}

// addedLinks is how many links of a new node are recommended unasked.
const addedLinks = 10

// saveJoined writes a run with new nodes into a folder of its own; the model and its result are copies.
func saveJoined(dir string, t *pairs.Trained) error {
	files := map[string]func(io.Writer) error{}
	for _, name := range []string{"model.safetensors", "result.json", "metrics.jsonl"} {
		text, err := durable.ReadFile(filepath.Join(t.Dir, name))
		if errors.Is(err, fs.ErrNotExist) && name != "model.safetensors" { // of a run that was killed
			continue
		}
		if err != nil {
			return err
		}
		files[name] = func(w io.Writer) error { _, err := w.Write(text); return err }
	}
	c := t.Config
	c.Data.Name = ""
	return run.Save(dir, c, t.Data, files)
}
