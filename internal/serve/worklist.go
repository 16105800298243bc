package serve

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bloomgml/bloom/dataset"
	dgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// A worklist has up to this number of rows, labels and edges each, that are wrong with at least this probability.
const (
	mostDoubts = 200
	leastDoubt = 0.1
)

// Worklist lists what is probably wrong in the data of a run, and what has become of it. Each is in the order of an
// audit, the most suspicious first.
type Worklist struct {
	State   string            `json:"state"`             // "none", "running", "failed" or "done"
	Version int64             `json:"version"`           // of the graph that was audited; 0 is the data set
	Seconds float64           `json:"seconds,omitempty"` // that it has been running
	Error   string            `json:"error,omitempty"`
	Wrong   *node.WrongShares `json:"wrong,omitempty"`
	Labels  []LabelDoubt      `json:"labels,omitempty"`
	Rows    []RowDoubt        `json:"nodes,omitempty"`
	Edges   []EdgeDoubt       `json:"edges,omitempty"`
}

// What has become of a doubt.
const (
	open      = "open"
	confirmed = "confirmed" // a person looked, and it is right
	corrected = "corrected" // it is not what it was
	gone      = "gone"      // its node was removed
)

// LabelDoubt is a label that may be wrong.
type LabelDoubt struct {
	node.LabelFlag
	State string `json:"state"`
	Now   string `json:"now"` // the label that it has
}

// RowDoubt is a row of features that may be wrong.
type RowDoubt struct {
	node.RowFlag
	State string `json:"state"`
}

// EdgeDoubt is an edge that may be wrong.
type EdgeDoubt struct {
	node.EdgeFlag
	State  string  `json:"state"`
	Weight float64 `json:"weight"` // when it was audited
}

// auditing says what is to be audited.
type auditing struct {
	Now bool `json:"now,omitempty"` // the current graph instead of the data set that was trained on
}

// startAudit handles POST /v1/audit: it begins one, unless there is one.
func (s *Server) startAudit(m *Model, r *http.Request) (any, error) {
	var in auditing
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	m.audit(in.Now)
	return m.Worklist(), nil
}

func (s *Server) worklist(m *Model, r *http.Request) (any, error) {
	return m.Worklist(), nil
}

// head returns a copy of the first things that are doubted.
func head[T any](list []T, doubted func(T) bool) []T {
	var out []T
	for _, x := range list {
		if len(out) < mostDoubts && doubted(x) {
			out = append(out, x)
		}
	}
	return out
}

// Worklist returns what the audit found, and what has become of it by now.
func (m *Model) Worklist() *Worklist {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := &m.auditor
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.begun.IsZero():
		return &Worklist{State: "none"}
	case a.err != nil:
		return &Worklist{State: "failed", Version: a.version, Error: a.err.Error()}
	case a.found == nil:
		return &Worklist{State: "running", Version: a.version, Seconds: time.Since(a.begun).Seconds()}
	}
	w := &Worklist{State: "done", Version: a.version, Wrong: &a.found.wrong}
	m.graph.doubts(a.found, w)
	return w
}

// become returns what has become of a doubt about x; other says whether x has changed since.
func (g *graph) become(x thing, other bool) string {
	switch {
	case g.hidden.has(x.u) || x.kind == "edge" && g.hidden.has(x.v):
		return gone
	case other:
		return corrected
	case g.right.has(x):
		return confirmed
	}
	return open
}

// weightOf returns the weight of the edge between u and v, 1 if it has none.
func weightOf(all *dgraph.Graph, u, v int32) float64 {
	for _, list := range []dgraph.Pattern{all.In(), all.Out()} {
		others, edges := list.Row(int(v))
		if at := slices.Index(others, u); at >= 0 && all.Weights() != nil {
			return float64(all.Weights()[edges[at]])
		}
	}
	return 1
}

// labelOf returns the class that v has now.
func (g *graph) labelOf(v int32) string {
	if class, other := g.labels.get(v); other {
		return class
	}
	return g.given(v)
}

// auditor audits the data of a run on request, in the background and one audit at a time.
type auditor struct {
	mu      sync.Mutex
	begun   time.Time // zero before the first
	version int64     // of the graph that is audited, or was
	found   *doubts   // nil while an audit is running
	err     error
}

// doubts holds the findings of an audit, by the nodes of a graph that changes, with the data as it was then.
type doubts struct {
	wrong  node.WrongShares
	labels []node.LabelFlag
	rows   []doubtedRow
	edges  []doubtedEdge
}

type doubtedRow struct {
	node.RowFlag
	was []mat.Real // its features
}

type doubtedEdge struct {
	node.EdgeFlag
	was float64 // its weight
}

// tryStart reports whether an audit of a version is to begin, and notes that it has: the first, one after a failure,
// or, if the current graph is asked for, one of another version. Nothing begins while one is running.
func (a *auditor) tryStart(version int64, now bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.begun.IsZero() || a.err != nil:
	case a.found == nil || !now || a.version == version:
		return false
	}
	a.begun, a.version, a.found, a.err = time.Now(), version, nil, nil
	return true
}

// end notes what came of it.
func (a *auditor) end(found *doubts, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found, a.err = found, err
}

// audit begins an audit, unless there is one: of the current graph, or of the data set that the run was trained on;
// for the latter an audit in the run folder is reused.
func (m *Model) audit(now bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	version := int64(0)
	if now {
		version = m.journal.version
	}
	if !m.auditor.tryStart(version, now) {
		return
	}
	t := m.graph.task
	if version == 0 {
		go func() { m.auditor.end(auditAsTrained(t)) }()
		return
	}
	kept := m.graph.kept()
	d, err := m.graph.dataset(m.Name)
	if err != nil {
		m.auditor.end(nil, err)
		return
	}
	go func() { m.auditor.end(auditOf(t, d, kept)) }()
}

// auditOf returns an audit of the data of a run as it has become.
func auditOf(t *node.Trained, d *dataset.Dataset, kept []int32) (*doubts, error) {
	c := t.Config
	c.Data.Corrupt = "" // it has been done
	now, err := node.Load(t.Dir, c, d, node.Options{})
	if err != nil {
		return nil, err
	}
	now = now.Alone()
	found, err := now.Audit()
	return doubtsOf(found, now, kept), err
}

// auditAsTrained returns the audit in the folder of a run, or else one of its data set.
func auditAsTrained(t *node.Trained) (*doubts, error) {
	found, err := t.KeptAudit()
	if found == nil && err == nil {
		found, err = t.Audit()
	}
	return doubtsOf(found, t, nil), err
}

// doubtsOf keeps the first of each, so that the others take no memory, and none that is probably right. Node i of the
// run t is node kept[i] of the graph, or i if kept is nil. It is nil of no audit.
func doubtsOf(a *node.Audit, t *node.Trained, kept []int32) *doubts {
	if a == nil {
		return nil
	}
	numberOf := func(v int32) int32 {
		if kept == nil {
			return v
		}
		return kept[v]
	}
	out := &doubts{wrong: a.Wrong}
	out.labels = head(a.Labels, func(f node.LabelFlag) bool {
		return f.Probability >= leastDoubt && f.Proposed != f.Given
	})
	for i := range out.labels {
		out.labels[i].Node = numberOf(out.labels[i].Node)
	}
	for _, f := range head(a.Rows, func(f node.RowFlag) bool { return f.Probability >= leastDoubt }) {
		was := featuresOf(t, f.Node)
		f.Node = numberOf(f.Node)
		out.rows = append(out.rows, doubtedRow{f, was})
	}
	for _, f := range head(a.Edges, func(f node.EdgeFlag) bool { return f.Probability >= leastDoubt }) {
		was := weightOf(t.Data.Graph, f.U, f.V)
		f.U, f.V = numberOf(f.U), numberOf(f.V)
		out.edges = append(out.edges, doubtedEdge{f, was})
	}
	return out
}

// featuresOf returns the row of features of v in the data of a run.
func featuresOf(t *node.Trained, v int32) []mat.Real {
	all := t.Features(0)
	x := make([]mat.Real, all.Cols)
	if all.Cols > 0 {
		all.Row(x, int(v))
	}
	return x
}

// doubts adds the findings of an audit, and what has become of them by now, to w.
func (g *graph) doubts(found *doubts, w *Worklist) {
	for _, x := range found.labels {
		now := g.labelOf(x.Node)
		other := g.task.Data.Labels.Task == "" && now != x.Given
		w.Labels = append(w.Labels, LabelDoubt{x, g.become(thing{kind: "label", u: x.Node}, other), now})
	}
	for _, x := range found.rows {
		other := !slices.Equal(g.features(x.Node), x.was)
		w.Rows = append(w.Rows, RowDoubt{x.RowFlag, g.become(thing{kind: "row", u: x.Node}, other)})
	}
	for _, x := range found.edges {
		at := thing{"edge", min(x.U, x.V), max(x.U, x.V)}
		w.Edges = append(w.Edges, EdgeDoubt{x.EdgeFlag, g.become(at, g.state.Weight(x.U, x.V) == 0), x.was})
	}
}
