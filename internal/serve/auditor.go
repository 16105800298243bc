package serve

import (
	"slices"
	"sync"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

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
