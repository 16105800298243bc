package pair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
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

// Add returns t with newcomers as if they had been there: the same weights on the graph with them, where messages go
// along all of their edges. Edges that were held out stay so, and nothing is trained. The error is a *train.BadData
// where the model cannot say anything about nodes it has not seen.
func (t *Trained) Add(n *dataset.Newcomers) (*Trained, error) {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf(format, args...)}
	}
	switch c := t.Config.Data; {
	case t.Data.Graph.NumTypes() > 1:
		return nil, bad("nodes have several types, and adding to those is not supported")
	case !featured(t.Data):
		return nil, bad("nodes have no features, so nothing is known about new ones")
	case len(n.Features) != 1 || n.Features[0].Cols != t.Data.Features[0].Cols:
		return nil, bad("new nodes have other features than the %d of old ones", t.Data.Features[0].Cols)
	case c.Corrupt != "":
		return nil, bad("rows were corrupted for this run, and new nodes would change which ones: a run with " +
			"data.corrupt takes no new nodes")
	}
	whole, err := n.Join(t.Data)
	if err != nil {
		return nil, bad("%v", err)
	}
	c := t.Config
	if c.Train.Repeat = 1; c.Data.ScaleRows == 0 {
		c.Data.ScaleRows = t.Data.Graph.NumNodes()
	}
	j, err := assemble(c, whole, t.job.trial)
	if err != nil {
		return nil, err
	}
	from := append(t.job.Params(), t.job.State()...)
	for i, p := range append(j.Params(), j.State()...) {
		mat.Copy(p.Value(), from[i].Value())
	}
	return j.trained(t.Dir), j.evaluate()
}

var _ task.Answering = asked{}

// Inputs returns ids of nodes to recommend for, or the ends of pairs.
func (t asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "source", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "target", Shape: []int64{-1}, Datatype: "BYTES"}}
}

// Outputs returns probabilities, the largest first.
func (t asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "target", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "probability", Shape: []int64{-1, -1}, Datatype: "FP64"}}
}

// Infer answers with a row for every id, or with the probability of every pair.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if q.Has("source") {
		return t.score(q)
	}
	if err := q.Only("id"); err != nil {
		return nil, err
	}
	ids, err := q.Strings("id")
	if err != nil {
		return nil, err
	}
	rows := make([][]Scored, len(ids))
	for i, id := range ids {
		if rows[i], err = t.Recommend(id, q.Top); err != nil {
			return nil, &task.Missing{Err: err}
		}
	}
	return fillLinks(rows)
}

// score tells how likely given pairs are.
func (t asked) score(q task.Question) ([]task.Tensor, error) {
	if err := q.Only("source", "target"); err != nil {
		return nil, err
	}
	from, err := q.Strings("source")
	if err != nil {
		return nil, err
	}
	to, err := q.Maybe("target", len(from))
	if err != nil {
		return nil, err
	}
	if to == nil {
		return nil, task.Usage("want target with source")
	}
	rows := make([][]Scored, len(from))
	for i := range from {
		one, err := t.Score(from[i], to[i])
		if err != nil {
			return nil, task.Usage("%v", err)
		}
		rows[i] = []Scored{one}
	}
	return fillLinks(rows)
}

// fillLinks returns the output tensors; all ids get the same number of targets, the smallest that any has.
func fillLinks(rows [][]Scored) ([]task.Tensor, error) {
	k := len(rows[0])
	for _, list := range rows {
		k = min(k, len(list))
	}
	var targets []string
	var likely []float64
	for _, list := range rows {
		for _, l := range list[:k] {
			targets, likely = append(targets, l.Target), append(likely, l.Probability)
		}
	}
	shape := []int64{int64(len(rows)), int64(k)}
	return task.Filled(task.Column{Name: "target", Datatype: "BYTES", Shape: shape, Data: targets},
		task.Column{Name: "probability", Datatype: "FP64", Shape: shape, Data: likely})
}
