package serve

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestClaims: labels and confirmations are edits like others: they are in answers, can be taken back, and are there
// again after a restart.
func TestClaims(t *testing.T) {
	dir := trained(t, "base")
	r := serving(t, Options{}, dir)
	label := func() string {
		var a Answer
		r.ask("/v1/nodes/n1", "", 200, &a)
		return a.Label
	}
	given := label()
	other := "c0"
	if given == other {
		other = "c1"
	}
	m := r.s.models()[0]
	if names := m.graph.task.Data.Labels.Names; !slices.Contains(names, given) || !slices.Contains(names, other) {
		t.Fatalf("classes %q, given %q", names, given)
	}
	r.ask("/v1/graph", `{"edits":[{"set_label":{"id":"n1","class":"`+other+`"}},{"confirm":{"row":"n2"}}]}`, 200, nil)
	if got := label(); got != other || !m.graph.right.has(thing{kind: "row", u: 2}) {
		t.Errorf("label %q, confirmed %v", got, m.graph.right.own)
	}
	r.ask("/v1/undo", "{}", 200, nil)
	if got := label(); got != given || len(m.graph.right.own) != 0 {
		t.Errorf("after undo: label %q, confirmed %v", got, m.graph.right.own)
	}
	for _, body := range []string{`{"set_label":{"id":"n1","class":"nothing"}}`, `{"confirm":{}}`,
		`{"confirm":{"row":"n1","label":"n1"}}`, `{"confirm":{"edge":["n1","n1"]}}`, `{"confirm":{"label":"nobody"}}`} {
		r.ask("/v1/graph", `{"edits":[`+body+`]}`, 422, nil)
	}
	x := `{"set_features":{"id":"n3","features":[0,0,0,0]}}`
	r.ask("/v1/graph", `{"edits":[{"set_label":{"id":"n1","class":""}},{"confirm":{"label":"n4"}},`+x+`]}`, 200, nil)
	r.ask("/v1/graph", `{"edits":[{"confirm":{"label":"n4","withdraw":true}},{"confirm":{"label":"n5"}}]}`, 200, nil)
	r.Close()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	again := serving(t, Options{}, dir).s.models()[0].graph
	if class, other := again.labels.get(1); !other || class != "" || len(again.labels.own) != 1 {
		t.Errorf("labels %v", again.labels.own)
	}
	if len(again.right.own) != 1 || !again.right.has(thing{kind: "label", u: 5}) {
		t.Errorf("confirmed %v", again.right.own)
	}
	if got := again.features(3); !slices.Equal(got, []mat.Real{0, 0, 0, 0}) || len(again.rows.own) != 1 {
		t.Errorf("features %v, %d rows", got, len(again.rows.own))
	}
}
