package pair

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// asked is a run about pairs.
type asked struct{ *Trained }

// Predict recommends links of nodes, or scores the held-out pairs.
func (t asked) Predict(q *task.Request) error {
	if q.Top < 1 {
		return task.Usage("--top is %d, want 1 or more", q.Top)
	}
	if len(q.Nodes) == 0 {
		return q.Write(t.WritePredictions)
	}
	var all []Scored
	for _, id := range q.Nodes {
		list, err := t.Recommend(id, q.Top)
		if err != nil {
			return task.Usage("%w", err)
		}
		all = append(all, list...)
	}
	return write(q, all)
}

// write writes a row or an object for every pair.
func write(q *task.Request, list []Scored) error {
	return task.Rows(q, []string{"rank", "source", "target", "probability", "common"},
		slices.Values(list), func(x Scored) []string {
			return []string{fmt.Sprint(x.Rank), x.Source, x.Target, task.Decimal(x.Probability), fmt.Sprint(x.Common)}
		})
}

// Embed prints a row per node.
func (t asked) Embed(q *task.Request) error {
	return q.Embeddings(t.Trained.Embed(), t.Data.NodeName)
}

// Explain explains the score of a pair.
func (t asked) Explain(q *task.Request) error {
	if q.Fidelity > 0 || q.Influence || q.Label != "" || q.Level != 0 {
		return task.Usage("--fidelity, --influence, --label and --level are for classes of nodes")
	}
	if len(q.Nodes) != 2 {
		return task.Usage("which pair? name its two nodes with --node, got %d", len(q.Nodes))
	}
	e, err := t.Trained.Explain(q.Nodes[0], q.Nodes[1], q.Top)
	if err != nil {
		return task.Usage("%w", err)
	}
	return q.WriteAnswer(e, func() string { return e.text(show.Painter(q.Out)) })
}

// text formats an explanation: a bar to the right supports the link, one to the left contradicts it.
func (e *Explanation) text(p show.Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s and %s: probability %s", p.Strong(show.Safe(e.Source)), p.Strong(show.Safe(e.Target)),
		p.Good(fmt.Sprintf("%.2f", e.Probability)))
	if e.Joined {
		b.WriteString(", as if the edge that joins them were not there")
	}
	fmt.Fprintf(&b, "\n  %d common neighbours", len(e.Shared))
	if len(e.Shared) > 0 {
		fmt.Fprintf(&b, ": %s", show.Safe(strings.Join(e.Shared, ", ")))
	}
	fmt.Fprintf(&b, "\n  %s\n", p.Dim(fmt.Sprintf("%-40s %10s", "edges for and against it", "pull")))
	for _, x := range e.Edges {
		fmt.Fprintf(&b, "  %-40s %+10.3g %s\n", show.Safe(x.Source+" – "+x.Target), x.Pull,
			show.Pull(x.Pull, max(e.Edges[0].Pull, -e.Edges[0].Pull), p))
	}
	if e.Left > 0 {
		fmt.Fprintf(&b, "  %s\n", p.Dim(fmt.Sprintf("and %d more edges; --top 0 shows all", e.Left)))
	}
	return b.String()
}

// Audit ranks the edges of the graph.
func (t asked) Audit(q *task.Request) error {
	all, err := t.Trained.Audit()
	if err != nil {
		return err
	}
	all = all[:q.Shown(len(all))]
	if q.CSV {
		return task.Rows(q, []string{"rank", "source", "target", "probability", "common"}, slices.Values(all),
			func(x Scored) []string {
				return []string{strconv.Itoa(x.Rank), x.Source, x.Target,
					strconv.FormatFloat(x.Probability, 'g', -1, 32), strconv.Itoa(x.Common)}
			})
	}
	return q.WriteAnswer(map[string]any{"edges": all}, func() string {
		text := show.Painter(q.Out).Strong("Least expected edges, each judged as if it were not there")
		for _, x := range all {
			text += fmt.Sprintf("\n%4d  %-40s probability %.4f, %d common neighbours", x.Rank,
				show.Safe(x.Source+" – "+x.Target), x.Probability, x.Common)
		}
		return text + "\n"
	})
}

// Add recommends links of new nodes.
func (t asked) Add(q *task.Request) error {
	n, tell, err := q.Newcomers(t.Data)
	if err != nil {
		return err
	}
	now, err := t.Trained.Add(n)
	if err != nil {
		return err
	}
	fmt.Fprintf(q.Say, "%d new nodes with %d edges; %d missing values were filled. No parameter changed.\n",
		len(n.IDs), len(n.Edges), n.Filled)
	tell()
	if q.Save != "" {
		if err := saveWith(q.Save, now); err != nil {
			return err
		}
		fmt.Fprintf(q.Say, "files %s\nnext  %s\n", show.Safe(q.Save),
			show.ShellCommand("bloom", "predict", q.Save, "--node", n.IDs[0], "--top", "10"))
	}
	var all []Scored
	for _, id := range n.IDs {
		list, err := now.Recommend(id, recommended)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	return write(q, all)
}

// recommended is how many pairs of a new node are recommended unasked.
const recommended = 10

// saveWith writes a run with new nodes into a folder of its own; the model and its result are copies.
func saveWith(dir string, t *Trained) error {
	copies := map[string]func(io.Writer) error{}
	for _, name := range []string{"model.safetensors", "result.json", "metrics.jsonl"} {
		text, err := files.Read(filepath.Join(t.Dir, name))
		if errors.Is(err, fs.ErrNotExist) && name != "model.safetensors" { // of a run that was killed
			continue
		}
		if err != nil {
			return err
		}
		copies[name] = func(w io.Writer) error { _, err := w.Write(text); return err }
	}
	c := t.Config
	c.Data.Name = ""
	return train.Save(dir, c, t.Data, copies)
}
