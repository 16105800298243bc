package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// near tells whether two numbers, one of them computed in single precision, are the same relative to a size.
func near(a, b, size float64) bool { return math.Abs(a-b) <= 1e-4*(math.Abs(size)+1e-3) }

// TestExplainAddsUp: of every recipe that a comparison may choose, before and after edits and where only nodes nearby
// are looked at, the parts of an explanation add up to the log-odds of the probabilities that are shown.
func TestExplainAddsUp(t *testing.T) {
	defer func(most int) { mostExplained = most }(mostExplained)
	const data = "csbm:nodes=120,features=4,classes=3"
	for _, c := range []struct {
		recipe string
		set    []string
	}{{"base", nil}, {"robust", nil}, {"robust-logcosh", nil}, {"stack-laplace", []string{"energy.steps=1"}},
		{"heterophily", nil}, {"trees", nil}, {"trees", []string{"model.closed=false"}},
		{"base", []string{"model.input=trees", "model.after=0"}}, {"closed", nil}, {"gcn", nil}, {"mlp", nil}} {
		r := serving(t, Options{}, trainedOn(t, c.recipe, data, "", c.set...))
		check := func(what string, x Explanation) {
			t.Helper()
			b, p := x.Breakdown, 0.0
			for name, y := range x.Probabilities {
				if name != x.Class {
					p = max(p, y)
				}
			}
			sum := b.Prior + b.Rest
			for _, g := range b.Groups {
				sum += g.Sum
			}
			// float32 numbers, and probabilities near 1
			if want := math.Log(x.Probabilities[x.Class] / p); math.Abs(sum-want) > 2e-3*max(1, math.Abs(want)) ||
				!near(sum, b.Sum, b.Sum) || b.Text == "" {
				t.Errorf("%s %v, %s, %s: the parts come to %g, the log-odds to %g: %+v", c.recipe, c.set, what, x.ID,
					sum, want, b)
			}
		}
		for i, id := range []string{"n3", "n40", "n77"} {
			mostExplained = []int{4000, 40, 1}[i]
			var x Explanation
			r.ask("/v1/explain?node="+id, "", 200, &x)
			check("as trained", x)
			r.ask("/v1/explain", `{"node":"`+id+`","edits":[{"add_node":{"id":"x","features":[1,2,0,-1]}},`+
				`{"add_edge":["x","`+id+`"]},{"set_features":{"id":"`+id+`","features":[0,1,-1,0.5]}}]}`, 200, &x)
			check("edited", x)
			if x.Rows == 0 || len(x.Edges) == 0 {
				t.Errorf("%s: %d rows, %d edges", c.recipe, x.Rows, len(x.Edges))
			}
		}
	}
}

// TestProof: an explanation says what bloom certify proved, as long as the graph is the one that it is about.
func TestProof(t *testing.T) {
	dir := trained(t, "base")
	var x Explanation
	if serving(t, Options{}, trained(t, "base")).ask("/v1/explain?node=n1", "", 200, &x); x.Proof != nil {
		t.Errorf("without a certificate: %+v", x.Proof)
	}
	was, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := node.Kind{}.Open(dir, was.Config, was.Data)
	if err != nil {
		t.Fatal(err)
	}
	q := &task.Request{Context: t.Context(), Say: io.Discard, Out: io.Discard,
		Changes: task.Changes{Each: 1, Edges: "existing"}}
	if err := run.(task.Certifying).Certify(q); err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{}, dir)
	r.ask("/v1/explain?node=n1", "", 200, &x)
	if x.Proof == nil || !strings.Contains(x.Proof.Text, "at most 1 at a node") {
		t.Fatalf("proof %+v", x.Proof)
	}
	const edits = `"edits":[{"add_node":{"id":"x","features":[1,2,3,4]}},{"add_edge":["x","n1"]}]`
	var would, after Explanation
	r.ask("/v1/explain", `{"node":"n1",`+edits+`}`, 200, &would)
	r.ask("/v1/graph", `{`+edits+`}`, 200, nil)
	if r.ask("/v1/explain?node=n1", "", 200, &after); would.Proof != nil || after.Proof != nil {
		t.Errorf("proofs about graphs with other edges: %+v, %+v", would.Proof, after.Proof)
	}
}

// TestInfluence: the labels that an answer rests on are those that bloom explain --influence names.
func TestInfluence(t *testing.T) {
	dir := trained(t, "base")
	r := serving(t, Options{}, dir)
	run, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	v, err := run.Data.Node("n7")
	if err != nil {
		t.Fatal(err)
	}
	want, err := run.Influence(v, influential)
	if err != nil {
		t.Fatal(err)
	}
	var got node.Influence
	r.ask("/v1/influence?node=n7", "", 200, &got)
	said, err1 := json.Marshal(got)
	text, err2 := json.Marshal(want)
	if err1 != nil || err2 != nil || string(said) != string(text) || len(got.For) == 0 || len(got.Edges) == 0 {
		t.Errorf("%s, want %s", said, text)
	}
	r.ask("/v1/influence?node=nobody", "", 404, nil)
}

// TestInfluenceForgets: no answer rests on a label that a closed form was told to forget.
func TestInfluenceForgets(t *testing.T) {
	r := serving(t, Options{}, trained(t, "closed"))
	var before, after node.Influence
	r.ask("/v1/influence?node=n7", "", 200, &before)
	id := before.For[0].ID
	r.ask("/v1/graph", `{"edits":[{"set_label":{"id":"`+id+`","class":""},"forget":true}]}`, 200, nil)
	r.ask("/v1/influence?node=n7", "", 200, &after)
	if after.Labels != before.Labels-1 || len(after.For) == 0 {
		t.Fatalf("%d labels, %d of them for it, after %d", after.Labels, len(after.For), before.Labels)
	}
	for _, l := range slices.Concat(after.For, after.Against) {
		if l.ID == id {
			t.Errorf("the forgotten label of %s has the influence %g", id, l.Change)
		}
	}
}

// TestExplainIf: what would be is what then is, and asking leaves no trace.
func TestExplainIf(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	var before, would, after, is Explanation
	r.ask("/v1/explain?node=n7", "", 200, &before)
	other := "n90"
	if slices.ContainsFunc(before.Edges, func(e EdgeShare) bool { return e.Other == other }) {
		other = "n91"
	}
	edits := `"edits":[{"add_edge":["n7","` + other + `"]},{"set_features":{"id":"n7","features":[3,-3,2,1]}}]`
	r.ask("/v1/explain", `{"node":"n7",`+edits+`}`, 200, &would)
	r.ask("/v1/explain?node=n7", "", 200, &after)
	was, if2 := before.Breakdown.Sum, would.Breakdown.Sum
	if !near(after.Breakdown.Sum, was, was) || after.Version != 0 || near(if2, was, 1) {
		t.Errorf("before %g, would be %g, afterwards %g", was, if2, after.Breakdown.Sum)
	}
	r.ask("/v1/graph", `{`+edits+`}`, 200, nil)
	r.ask("/v1/explain?node=n7", "", 200, &is)
	if !near(is.Breakdown.Sum, if2, if2) || len(is.Edges) != len(would.Edges) || is.Version != 1 ||
		!near(is.Edges[0].Share, would.Edges[0].Share, 1) {
		t.Errorf("%+v, want %+v", is, would)
	}
	r.ask("/v1/explain?node=nobody", "", 404, nil)
	r.ask("/v1/explain", `{"node":"n7","edits":[{"add_edge":["n7","n7"]}]}`, 422, nil)
}

// TestSearch: the same first, then those that begin with the text, then the others; nodes come and go.
func TestSearch(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	search := func(q string) (ids []string, all int) {
		var out struct {
			Nodes []Answer
			Found int
		}
		r.ask("/v1/search?q="+q, "", 200, &out)
		for _, n := range out.Nodes {
			ids = append(ids, n.ID)
		}
		return ids, out.Found
	}
	if ids, all := search("N11"); all != 11 || ids[0] != "n11" || len(ids) != 11 || ids[1] != "n110" {
		t.Errorf("%v, %d", ids, all)
	}
	if ids, all := search(""); all != 120 || len(ids) != found {
		t.Errorf("%v, %d", ids, all)
	}
	r.ask("/v1/graph", `{"edits":[{"remove_node":"n11"},{"add_node":{"id":"an11x","features":[0,0,0,0]}}]}`, 200, nil)
	if ids, all := search("n11"); all != 11 || ids[0] != "n110" || ids[10] != "an11x" {
		t.Errorf("%v, %d", ids, all)
	}
	if ids, all := search("nothing"); all != 0 || len(ids) != 0 {
		t.Errorf("%v, %d", ids, all)
	}
}

// TestSets: sets hold the label of about as many test nodes as was asked for.
func TestSets(t *testing.T) {
	dir := trained(t, "base")
	r := serving(t, Options{Coverage: 0.8}, dir)
	split := r.s.models()[0].graph.task.Split
	held := 0
	for _, v := range split.Test {
		var a Answer
		r.ask(fmt.Sprintf("/v1/nodes/n%d", v), "", 200, &a)
		if slices.Contains(a.Set, a.Label) {
			held++
		}
	}
	// 2.6 deviations of the share of n test nodes, and of the quantile of k validation nodes
	n, k := float64(len(split.Test)), float64(len(split.Valid))
	if share, sd := float64(held)/n, math.Sqrt(0.8*0.2*(1/n+1/k)); math.Abs(share-0.8) > 2.6*sd {
		t.Errorf("%g of %g nodes, asked for 0.8, deviation %g", share, n, sd)
	}
	var list struct{ Models []About }
	r.ask("/v1/models", "", 200, &list)
	if len(list.Models) != 1 || list.Models[0].Coverage != 0.8 || len(list.Models[0].Classes) != 2 {
		t.Errorf("%+v", list)
	}
}
