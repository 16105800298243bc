package event

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

// asked is a run about links in time.
type asked struct{ *Trained }

// at moves the run to the time that is asked about; without one, to just after its last event.
func (t asked) at(q *task.Request) (float64, error) {
	if q.At == "" {
		return t.Now(), nil
	}
	at, err := format.ParseTime(q.At)
	if err != nil {
		return 0, task.Usage("--at: %v", err)
	}
	if e := t.Data.Events; at <= e.Time[0] {
		return 0, task.Usage("--at %s is not after the first event, at %s: nothing is known by then", q.At,
			e.When(e.Time[0]))
	}
	t.AsOf(at)
	return at, nil
}

// Predict prints which targets a source will probably meet next, or the ranks of the held-out events.
func (t asked) Predict(q *task.Request) error {
	if q.Top < 1 {
		return task.Usage("--top is %d, want 1 or more", q.Top)
	}
	if q.Coverage > 0 {
		return task.Usage("--coverage is for classes and numbers of nodes")
	}
	at, err := t.at(q)
	if err != nil {
		return err
	}
	if len(q.Nodes) == 0 {
		return t.heldOut(q)
	}
	var all []Scored
	for _, id := range q.Nodes {
		list, err := t.Recommend(id, at, q.Top)
		if err != nil {
			return task.Usage("%w", err)
		}
		all = append(all, list...)
	}
	return task.Rows(q, []string{"rank", "source", "target", "probability", "score", "met"}, slices.Values(all),
		func(x Scored) []string {
			return []string{fmt.Sprint(x.Rank), x.Source, x.Target, task.Decimal(x.Probability), task.Decimal(x.Score),
				fmt.Sprint(x.Met)}
		})
}

// heldOut copies the ranks of the held-out events, which the run has written.
func (t asked) heldOut(q *task.Request) error {
	if q.JSON || q.At != "" {
		return task.Usage("whose next event? name the source with --node")
	}
	text, err := files.Read(filepath.Join(t.Dir, "predictions.csv"))
	if err != nil {
		return err
	}
	return q.Write(func(w io.Writer) error { _, err := w.Write(text); return err })
}

// Explain says why a source is expected to meet a target.
func (t asked) Explain(q *task.Request) error {
	if q.Fidelity > 0 || q.Influence || q.Label != "" || q.Level != 0 {
		return task.Usage("--fidelity, --influence, --label and --level are for classes of nodes")
	}
	if len(q.Nodes) != 2 {
		return task.Usage("which pair? name its source and its target with --node, got %d", len(q.Nodes))
	}
	at, err := t.at(q)
	if err != nil {
		return err
	}
	e, err := t.Trained.Explain(q.Nodes[0], q.Nodes[1], at)
	if err != nil {
		return task.Usage("%w", err)
	}
	return q.WriteAnswer(e, func() string { return e.text(q.Shown(len(e.Terms)), show.Painter(q.Out)) })
}

// text formats an explanation; terms that are not shown are one line.
func (e *Explanation) text(shown int, p show.Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s and %s at %s: probability %s, rank %d; they have met %d times\n",
		p.Strong(show.Safe(e.Source)), p.Strong(show.Safe(e.Target)), e.At,
		p.Good(fmt.Sprintf("%.4f", e.Probability)), e.Rank, e.Met)
	line := func(name string, x float64) {
		fmt.Fprintf(&b, "  %-84s %+8.3f %s\n", name, x, show.Pull(x, max(e.Terms[0].Adds, -e.Terms[0].Adds), p))
	}
	rest := 0.0
	for i, x := range e.Terms {
		if i < shown {
			line(x.Term, x.Adds)
		} else {
			rest += x.Adds
		}
	}
	if n := len(e.Terms) - shown; n > 0 {
		line(fmt.Sprintf("%d other terms; --top 0 shows all", n), rest)
	}
	fmt.Fprintf(&b, "  %-84s %+8.3f\n", "score, of which the probability is the softmax over all targets", e.Score)
	return b.String()
}

// unlike says what is not there.
func unlike(what string) error {
	return task.Usage("%s; bloom predict and bloom explain work on it", what)
}

func (t asked) Embed(*task.Request) error {
	return unlike("a run about links in time has no embeddings: its states are counts")
}

func (t asked) Audit(*task.Request) error { return unlike("events are not audited") }

func (t asked) Add(*task.Request) error {
	return unlike("to add events, append them to the file and name it with --data, or send them to bloom serve")
}

var (
	_ task.Answering = asked{}
	_ task.Learning  = asked{}
)

// Inputs returns the source whose next target is asked for, and the time, which may be left out.
func (asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "source", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "time", Shape: []int64{-1}, Datatype: "FP64"}}
}

// Outputs returns the best targets with their probabilities.
func (asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "target", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "probability", Shape: []int64{-1, -1}, Datatype: "FP64"}}
}

// Infer recommends targets as of the last event that was learnt, at its time or at later ones that are given.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if err := q.Only("source", "time"); err != nil {
		return nil, err
	}
	from, err := q.Strings("source")
	if err != nil {
		return nil, err
	}
	at := slices.Repeat([]float64{t.Now()}, len(from))
	if q.Has("time") {
		if at, err = task.Values[float64](q, "time", "FP64", "INT64"); err != nil {
			return nil, err
		}
		if len(at) != len(from) {
			return nil, task.Usage("input time: %d values, want %d", len(at), len(from))
		}
	}
	k := min(max(q.Top, 1), len(t.job.targets))
	var names []string
	var likely []float64
	for i, id := range from {
		list, err := t.Recommend(id, max(at[i], t.Now()), k)
		if err != nil {
			return nil, &task.Missing{Err: err}
		}
		for _, x := range list {
			names, likely = append(names, x.Target), append(likely, x.Probability)
		}
	}
	shape := []int64{int64(len(from)), int64(k)}
	return task.Filled(task.Column{Name: "target", Datatype: "BYTES", Shape: shape, Data: names},
		task.Column{Name: "probability", Datatype: "FP64", Shape: shape, Data: likely})
}
