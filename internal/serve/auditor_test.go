package serve

import (
	"slices"
	"testing"
	"time"

	"github.com/bloomgml/bloom/task/node"
)

// TestAuditNow: an audit of the graph as it is finds a label that an edit spoilt, says which version it is of, speaks
// of nodes by their ids where others were removed before them, and follows edits that come after it.
func TestAuditNow(t *testing.T) {
	dir := trainedOn(t, "base", "csbm:nodes=150,features=6,classes=2", "")
	run, err := node.Open(dir)
	if err == nil {
		err = run.KeepAudit(&node.Audit{}) // of the data set, which takes seconds
	}
	if err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{}, dir)
	w := r.audited()
	if w.Version != 0 || w.State != "done" {
		t.Fatalf("%q %q, version %d", w.State, w.Error, w.Version)
	}
	var a Answer
	r.ask("/v1/nodes/n40", "", 200, &a)
	wrong := map[string]string{"c0": "c1", "c1": "c0"}[a.Label]
	r.ask("/v1/graph", `{"edits":[{"remove_node":"n7"},{"add_node":{"id":"new","features":[1,0,0,0,0,0]}},`+
		`{"set_label":{"id":"n40","class":"`+wrong+`"}}]}`, 200, nil)
	r.ask("/v1/audit", "{}", 200, &w)
	if w.Version != 0 || w.State != "done" {
		t.Errorf("an audit that nobody asked for: %q, version %d", w.State, w.Version)
	}
	w = r.auditedNow()
	if w.State != "done" || w.Version != 1 {
		t.Fatalf("%q %q, version %d", w.State, w.Error, w.Version)
	}
	at := slices.IndexFunc(w.Labels, func(d LabelDoubt) bool { return d.ID == "n40" })
	if at < 0 || w.Labels[at].Given != wrong || w.Labels[at].State != open {
		t.Fatalf("the label of n40 is not doubted: %+v", w.Labels)
	}
	r.ask("/v1/graph", `{"edits":[{"set_label":{"id":"n40","class":"`+a.Label+`"}}]}`, 200, nil)
	r.ask("/v1/audit", "", 200, &w)
	if w.Version != 1 || w.Labels[at].State != corrected || w.Labels[at].Now != a.Label {
		t.Errorf("after it was corrected: %+v", w.Labels[at])
	}
}

// auditedNow is the worklist after an audit of the graph as it is.
func (r running) auditedNow() (w Worklist) {
	r.Helper()
	r.ask("/v1/audit", `{"now":true}`, 200, &w)
	for begin := time.Now(); w.State == "running"; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			r.Fatal("the audit does not end")
		}
		w = Worklist{}
		r.ask("/v1/audit", "", 200, &w)
	}
	return w
}

// TestAuditOnce: one audit runs at a time, and none of a version begins twice.
func TestAuditOnce(t *testing.T) {
	var a auditor
	if !a.tryStart(0, false) || a.tryStart(0, false) || a.tryStart(3, true) {
		t.Error("two audits at a time")
	}
	a.end(&doubts{wrong: node.WrongShares{}}, nil)
	if a.tryStart(0, true) || a.tryStart(3, false) || !a.tryStart(3, true) || a.version != 3 {
		t.Error("want another audit where the graph as it is now has none")
	}
}
