package serve

import (
	"net/http"
	"slices"
	"time"

	dgraph "github.com/bloomgml/bloom/graph"
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
func (s *Server) startAudit(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	var in auditing
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	m.audit(in.Now)
	return m.Worklist(), nil
}

// worklist handles GET /v1/audit.
func (s *Server) worklist(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
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
