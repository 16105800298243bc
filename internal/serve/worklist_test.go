package serve

import (
	"fmt"
	"testing"
	"time"

	"github.com/bloomgml/bloom/task/node"
)

// audited is the worklist of a server, after its audit.
func (r running) audited() Worklist {
	r.Helper()
	var w Worklist
	r.ask("/v1/audit", "{}", 200, &w)
	for begin := time.Now(); w.State == "running"; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			r.Fatal("the audit does not end")
		}
		r.ask("/v1/audit", "", 200, &w)
	}
	return w
}

// doubted is a run folder with an audit in it.
func doubted(t *testing.T) string {
	t.Helper()
	dir := trained(t, "base")
	run, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, e := run.Data.Labels, run.Data.Graph.Edge(0)
	name := run.Data.NodeName
	a := &node.Audit{Rows: []node.RowFlag{{ID: "n2", Probability: 0.8, Speaks: "c1", Rank: 1,
		Columns: []node.ColumnFlag{{Name: "column 1", Value: 3, Expected: -1, Share: 0.9}}}},
		Edges: []node.EdgeFlag{{Source: name(e.U), Target: name(e.V), Probability: 0.7, Rank: 1}}}
	for i, v := range []int32{1, 3} {
		given := l.Class[v]
		a.Labels = append(a.Labels, node.LabelFlag{ID: name(v), Given: l.Names[given], Proposed: l.Names[1-given],
			Probability: 0.9, Rank: i + 1})
	}
	a.Labels = append(a.Labels, node.LabelFlag{ID: "n4", Given: "c0", Proposed: "c0", Rank: 3})
	if err := run.KeepAudit(a); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWorklist: what an audit doubts is confirmed or corrected by edits, and is open again when they are taken back.
func TestWorklist(t *testing.T) {
	r := serving(t, Options{}, doubted(t))
	var none Worklist
	if r.ask("/v1/audit", "", 200, &none); none.State != "none" {
		t.Errorf("before: %+v", none)
	}
	w := r.audited()
	if w.State != "done" || len(w.Labels) != 2 || len(w.Rows) != 1 || len(w.Edges) != 1 {
		t.Fatalf("%q %q: %d labels, %d rows, %d edges", w.State, w.Error, len(w.Labels), len(w.Rows), len(w.Edges))
	}
	label, row, edge := w.Labels[0], w.Rows[0], w.Edges[0]
	states := func() string {
		w := r.audited()
		return fmt.Sprint(w.Labels[0].State, " ", w.Rows[0].State, " ", w.Edges[0].State)
	}
	edit := func(format string, args ...any) {
		r.ask("/v1/graph", `{"edits":[`+fmt.Sprintf(format, args...)+`]}`, 200, nil)
	}
	edit(`{"set_label":{"id":%q,"class":%q}},{"confirm":{"row":%q}},{"remove_edge":[%q,%q]}`, label.ID, label.Proposed,
		row.ID, edge.Target, edge.Source)
	if got := states(); got != "corrected confirmed corrected" {
		t.Errorf("after edits: %s", got)
	}
	if now := r.audited().Labels[0].Now; now != label.Proposed {
		t.Errorf("label %q, want %q", now, label.Proposed)
	}
	r.ask("/v1/undo", "{}", 200, nil)
	if got := states(); got != "open open open" {
		t.Errorf("after undo: %s", got)
	}
	edit(`{"confirm":{"label":%q}},{"set_features":{"id":%q,"features":[1,2,3,4]}},{"confirm":{"edge":[%q,%q]}}`,
		label.ID, row.ID, edge.Target, edge.Source)
	if got := states(); got != "confirmed corrected confirmed" {
		t.Errorf("after others: %s", got)
	}
	edit(`{"remove_node":%q}`, edge.Source)
	if got := r.audited().Edges[0].State; got != "gone" {
		t.Errorf("after its node was removed: %s", got)
	}
}

// TestHealth: requests and versions are remembered.
func TestHealth(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	r.ask("/v1/graph", `{"edits":[{"add_node":{"id":"x","features":[0,0,0,0]}}]}`, 200, nil)
	r.ask("/v1/undo", "{}", 200, nil)
	var h struct {
		Version, Undo int64
		Slots         []Slot
		Versions      []Made
	}
	r.ask("/v1/health", "", 200, &h)
	requests := 0
	for _, s := range h.Slots {
		requests += s.Requests
		if !(s.P50 > 0 && s.P50 <= s.P99) {
			t.Errorf("%+v", s)
		}
	}
	if requests != 2 || h.Version != 2 || h.Undo != 0 || len(h.Versions) != 2 || h.Versions[1].Undo != 1 ||
		h.Versions[0].Edits[0].AddNode.ID != "x" {
		t.Errorf("%d requests, %+v", requests, h)
	}
}

// TestPast: slots are kept for an hour.
func TestPast(t *testing.T) {
	var p past
	begin := time.Unix(1e9, 0)
	for i := range 1000 {
		p.add(begin.Add(time.Duration(i)*slotSeconds*time.Second), 200+300*(i%2), time.Millisecond)
	}
	list := p.lastHour(begin.Add(999 * slotSeconds * time.Second))
	if len(list) != slotsKept || list[0].Failed != 0 || list[1].Failed != 1 || list[0].P50 < 1e-3 ||
		list[0].P99 > 1.5e-3 {
		t.Errorf("%d slots, %+v", len(list), list[0])
	}
	if list = p.lastHour(begin.Add(24 * time.Hour)); len(list) != 0 {
		t.Errorf("after a day: %d slots", len(list))
	}
}
