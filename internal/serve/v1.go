package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// wanted holds edits, and the nodes to answer for after them.
type wanted struct {
	Edits []Edit   `json:"edits"`
	Nodes []string `json:"nodes,omitempty"`
}

// edit handles POST /v1/graph: {"edits": […], "nodes": [ids]}, the nodes being optional, or lines of edits.
func (s *Server) edit(m *Model, r *http.Request) (any, error) {
	in, err := s.edits(r)
	if err != nil {
		return nil, err
	}
	return m.Edit(r.Context(), in.Edits, in.Nodes...)
}

func (s *Server) edits(r *http.Request) (in wanted, err error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/x-ndjson" {
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		for {
			var e Edit
			err := d.Decode(&e)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return in, unread(fmt.Errorf("edit %d: %w", len(in.Edits), err))
			}
			if in.Edits = append(in.Edits, e); len(in.Edits) > s.options.Batch {
				break // of which few tells
			}
		}
	} else if err := decode(r, &in); err != nil {
		return in, err
	}
	if len(in.Nodes) > 0 {
		err = s.few("nodes", len(in.Nodes))
	}
	return in, errors.Join(s.taken(in.Edits), err)
}

// few refuses lists that are empty or too long.
func (s *Server) few(what string, n int) error {
	if n == 0 || n > s.options.Batch {
		return bad("%d %s, want 1 to %d", n, what, s.options.Batch)
	}
	return nil
}

// taken refuses lists of edits that are empty or too long, and ids with a zero byte, which are reserved for rows that
// are only asked about.
func (s *Server) taken(edits []Edit) error {
	for i, e := range edits {
		if e.AddNode != nil && strings.Contains(e.AddNode.ID, "\x00") {
			return bad("edit %d: the id %q has a zero byte", i, e.AddNode.ID)
		}
	}
	return s.few("edits", len(edits))
}

// undo handles POST /v1/undo.
func (s *Server) undo(m *Model, r *http.Request) (any, error) {
	if err := empty(r); err != nil {
		return nil, err
	}
	return m.Undo(r.Context())
}

// whatIf handles POST /v1/what-if: {"edits": […], "nodes": [ids]}.
func (s *Server) whatIf(m *Model, r *http.Request) (any, error) {
	var in wanted
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if err := errors.Join(s.taken(in.Edits), s.few("nodes", len(in.Nodes))); err != nil {
		return nil, err
	}
	answers, err := m.WhatIf(r.Context(), in.Edits, in.Nodes)
	return answered{answers}, err
}

// node handles GET /v1/nodes/ID.
func (s *Server) node(m *Model, r *http.Request) (any, error) {
	answers, err := m.Answer(r.Context(), []string{r.PathValue("id")})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// graphOf handles GET /v1/graph.
func (s *Server) graphOf(m *Model, r *http.Request) (any, error) {
	nodes, edges, version := m.Size()
	return sized{m.Name, nodes, edges, version}, nil
}

// features handles GET /v1/features?node=ID: the row of a node as set_features takes it, with the names of columns
// and, if it differs, the row of the data set.
func (s *Server) features(m *Model, r *http.Request) (any, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	g := m.graph
	v, err := g.find(r.URL.Query().Get("node"))
	if err != nil {
		return nil, err
	}
	out := featured{ID: g.id(v), Features: g.features(v), Columns: g.task.Columns()}
	if g.rows.has(v) && v < g.known {
		out.Given = featuresOf(g.task, v)
	}
	return out, nil
}

// found is the number of nodes that a search shows.
const found = 12

// search handles GET /v1/search?q=TEXT: nodes whose ids contain the text, ignoring case: first the exact match, then
// ids that begin with it, then the others, shorter ones first.
func (s *Server) search(m *Model, r *http.Request) (any, error) {
	nodes, all, err := m.search(r.Context(), r.URL.Query().Get("q"), found)
	return searched{nodes, all}, err
}

// search answers for the first nodes that have a text in their ids, and says how many have it.
func (m *Model) search(ctx context.Context, text string, most int) ([]Answer, int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	g := m.graph
	ids, all := search(text, most, func(yield func(string) bool) {
		for v := range int32(g.state.Nodes()) {
			if !g.hidden.has(v) && !yield(g.id(v)) {
				return
			}
		}
	})
	answers, err := m.answer(ctx, g, ids)
	return answers, all, err
}

// hit is a node that was found.
type hit struct {
	id   string
	rank int // 0 is the same, 1 begins with it, 2 has it
}

// search returns the first of ids that have a text, and how many have it.
func search(text string, most int, of iter.Seq[string]) (ids []string, all int) {
	text = strings.ToLower(text)
	var hits []hit
	for id := range of {
		at := strings.Index(strings.ToLower(id), text)
		if at < 0 {
			continue
		}
		all++
		if h := (hit{id, rank(at, len(id), len(text))}); h.rank < 2 || len(hits) < 100*most {
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.id), len(b.id)))
	})
	for _, h := range hits[:min(most, len(hits))] {
		ids = append(ids, h.id)
	}
	return ids, all
}

// rank says how well an id of the given length matches a text that it contains at an index.
func rank(at, id, text int) int {
	switch {
	case at > 0:
		return 2
	case id > text:
		return 1
	}
	return 0
}

// happened holds events, in the order of time.
type happened struct {
	Events []occasion `json:"events"`
}

// occasion is an event.
type occasion struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Time   float64 `json:"time"` // in the unit of the data; of dates, seconds since 1970
}

// learnt says how many events were learnt.
type learnt struct {
	Learnt int `json:"learnt"`
}

// learn handles POST /v1/events: answers that come after it are as of the last event. Events are not written down:
// after a restart the run knows the events of its data alone.
func (s *Server) learn(run served, r *http.Request) (any, error) {
	p, _ := run.(*plain)
	var learner task.Learning
	if p != nil {
		learner, _ = p.run.(task.Learning)
	}
	if learner == nil {
		return nil, conflict("%s does not learn from events: only runs about links in time do", run.name())
	}
	var in happened
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if err := s.few("events", len(in.Events)); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range in.Events {
		if err := learner.Learn(e.Source, e.Target, e.Time); err != nil {
			return nil, bad("event %d: %v; the %d before it are learnt", i, err, i)
		}
	}
	return learnt{len(in.Events)}, nil
}

// influential is how many labels are named for an answer, and how many against it.
const influential = 10

// influence handles GET /v1/influence?node=ID, about the run as it was trained or is solved now. One is computed at a
// time, apart from all other answers.
func (s *Server) influence(m *Model, r *http.Request) (any, error) {
	id := r.URL.Query().Get("node")
	t, err := m.current()
	if err != nil {
		return nil, err
	}
	v, err := t.Data.Node(id)
	if err != nil {
		return nil, noNode(id)
	}
	m.weighing.Lock()
	defer m.weighing.Unlock()
	i, err := t.Influence(v, influential)
	var cannot *task.UsageError
	if errors.As(err, &cannot) {
		return nil, conflict("%w", err)
	}
	return i, err
}

// current returns the run, and one that is solved for on the graph as it is, without what edits have forgotten.
func (m *Model) current() (*node.Trained, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	g := m.graph
	if m.journal.version == 0 || g.fixed() || !g.task.Solved() {
		return g.task, nil
	}
	p, err := g.part(nil)
	if err != nil {
		return nil, err
	}
	on, err := g.within(p)
	if err != nil {
		return nil, err
	}
	t := *g.task
	t.Task = on
	return &t, nil
}
