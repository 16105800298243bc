package serve

import (
	"net/http"
	"slices"
	"sync"
	"time"

	dgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/nodes"
)

// A worklist has so many rows, labels and edges each, that are wrong with so much probability at least.
const (
	mostDoubts = 200
	leastDoubt = 0.1
)

// auditor audits the data set of a run once, when somebody asks for it first, beside everything else.
type auditor struct {
	mu    sync.Mutex
	begun time.Time // zero before
	found *nodes.Audit
	err   error
}

// Worklist is what is probably wrong in the data set of a run, and what has become of it. Each is in the order of an
// audit, the most suspicious first.
type Worklist struct {
	State   string             `json:"state"`             // "none", "running", "failed" or "done"
	Seconds float64            `json:"seconds,omitempty"` // that it has been running
	Error   string             `json:"error,omitempty"`
	Wrong   *nodes.WrongShares `json:"wrong,omitempty"`
	Labels  []LabelDoubt       `json:"labels,omitempty"`
	Rows    []RowDoubt         `json:"nodes,omitempty"`
	Edges   []EdgeDoubt        `json:"edges,omitempty"`
}

// What has become of a doubt.
const (
	open      = "open"
	confirmed = "confirmed" // somebody looked, and it is right
	corrected = "corrected" // it is not what it was
	gone      = "gone"      // its node was removed
)

// LabelDoubt is a label that may be wrong.
type LabelDoubt struct {
	nodes.LabelFlag
	State string `json:"state"`
	Now   string `json:"now"` // the label that it has
}

// RowDoubt is a row of features that may be wrong.
type RowDoubt struct {
	nodes.RowFlag
	State string `json:"state"`
}

// EdgeDoubt is an edge that may be wrong.
type EdgeDoubt struct {
	nodes.EdgeFlag
	State  string  `json:"state"`
	Weight float64 `json:"weight"` // in the data set
}

// startAudit is POST /v1/audit: it begins one, unless there is one.
func (s *Server) startAudit(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	m.auditor.start(m.graph.task)
	return m.Worklist(), nil
}

// worklist is GET /v1/audit.
func (s *Server) worklist(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	return m.Worklist(), nil
}

// start begins an audit; one in the folder of the run is taken as it is.
func (a *auditor) start(t *nodes.Trained) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun.IsZero() && a.err == nil {
		return
	}
	a.begun, a.found, a.err = time.Now(), nil, nil
	go func() {
		found, err := t.KeptAudit()
		if found == nil && err == nil {
			found, err = t.Audit()
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.err = err; err == nil {
			a.found = shortened(found)
		}
	}()
}

// shortened keeps the first of each, so that the others take no memory, and none that is probably right.
func shortened(a *nodes.Audit) *nodes.Audit {
	return &nodes.Audit{Wrong: a.Wrong,
		Rows: head(a.Rows, func(f nodes.RowFlag) bool { return f.Probability >= leastDoubt }),
		Labels: head(a.Labels, func(f nodes.LabelFlag) bool {
			return f.Probability >= leastDoubt && f.Proposed != f.Given
		}),
		Edges: head(a.Edges, func(f nodes.EdgeFlag) bool { return f.Probability >= leastDoubt })}
}

// head is a copy of the first things that are doubted.
func head[T any](list []T, doubted func(T) bool) []T {
	var out []T
	for _, x := range list {
		if len(out) < mostDoubts && doubted(x) {
			out = append(out, x)
		}
	}
	return out
}

// Worklist is what the audit found, and what has become of it by now.
func (m *Model) Worklist() *Worklist {
	a := &m.auditor
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.begun.IsZero():
		return &Worklist{State: "none"}
	case a.err != nil:
		return &Worklist{State: "failed", Error: a.err.Error()}
	case a.found == nil:
		return &Worklist{State: "running", Seconds: time.Since(a.begun).Seconds()}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	w, g := &Worklist{State: "done", Wrong: &a.found.Wrong}, m.graph
	for _, x := range a.found.Labels {
		_, other := g.labels[x.Node]
		w.Labels = append(w.Labels, LabelDoubt{x, g.become(thing{kind: "label", u: x.Node}, other), g.labelOf(x.Node)})
	}
	for _, x := range a.found.Rows {
		_, other := g.rows[x.Node]
		w.Rows = append(w.Rows, RowDoubt{x, g.become(thing{kind: "row", u: x.Node}, other)})
	}
	for _, x := range a.found.Edges {
		at := thing{"edge", min(x.U, x.V), max(x.U, x.V)}
		w.Edges = append(w.Edges, EdgeDoubt{x, g.become(at, g.state.Weight(x.U, x.V) == 0),
			g.givenWeight(x.U, x.V)})
	}
	return w
}

// become is what has become of a doubt about x, which is or is not what it was.
func (g *graph) become(x thing, other bool) string {
	switch {
	case g.hidden[x.u] || x.kind == "edge" && g.hidden[x.v]:
		return gone
	case other:
		return corrected
	case g.right[x]:
		return confirmed
	}
	return open
}

// givenWeight is the weight that the data set gives the edge between u and v, 1 where it gives none.
func (g *graph) givenWeight(u, v int32) float64 {
	all := g.task.Data.Graph
	for _, list := range []dgraph.Pattern{all.In(), all.Out()} {
		others, edges := list.Row(int(v))
		if at := slices.Index(others, u); at >= 0 && all.Weights() != nil {
			return float64(all.Weights()[edges[at]])
		}
	}
	return 1
}

// labelOf is the class that v has now.
func (g *graph) labelOf(v int32) string {
	if class, other := g.labels[v]; other {
		return class
	}
	return g.given(v)
}
