package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// matrixOf is a matrix of one row.
func matrixOf(row []float64) dataset.Matrix {
	x := dataset.Matrix{Rows: 1, Cols: len(row)}
	for _, v := range row {
		x.Values = append(x.Values, mat.Real(v))
	}
	return x
}

// near tells whether two numbers, one of them computed in single precision, are the same relative to a size.
func near(a, b, size float64) bool { return math.Abs(a-b) <= 1e-4*(math.Abs(size)+1e-3) }

// TestExplainAsBloom: an explanation of a graph that did not change is what bloom explain says.
func TestExplainAsBloom(t *testing.T) {
	for _, recipe := range []string{"base", "robust", "robust-logcosh"} {
		dir := trained(t, recipe)
		r := serving(t, Options{}, dir)
		run, err := node.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		in, err := run.Inspect(0)
		if err != nil {
			t.Fatal(err)
		}
		for v := range int32(40) {
			var got Explanation
			r.ask(fmt.Sprintf("/v1/explain?node=n%d", v), "", 200, &got)
			want := in.Node(v)
			if !near(got.Total, want.Total, want.Total) || !near(got.Own, want.Own, want.Total) ||
				!near(got.OwnPull, want.OwnPull, 1) || !near(got.Residual, want.Residual, 1) ||
				len(got.Edges)+got.Left != len(want.Edges) {
				t.Fatalf("%s, n%d: %+v, want %+v", recipe, v, got, want)
			}
			pulls := map[string][2]float64{}
			for _, e := range want.Edges {
				pulls[run.Data.NodeName(e.Other)] = [2]float64{e.Pull, e.Energy}
			}
			for _, e := range got.Edges {
				if w, ok := pulls[e.Other]; !ok || !near(e.Pull, w[0], 1) || !near(e.Energy, w[1], want.Total) {
					t.Fatalf("%s, n%d–%s: pull %g, energy %g, want %v", recipe, v, e.Other, e.Pull, e.Energy, w)
				}
			}
			n, steps := len(got.Settling), r.s.models()[0].graph.steps
			if n != steps+1 || !near(got.Settling[n-1], got.Total, 1) {
				t.Fatalf("%s, n%d: settling %v to %g", recipe, v, got.Settling, got.Total)
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

// TestExplainIf: what would be is what then is, and asking leaves no trace; by steps and at the minimiser.
func TestExplainIf(t *testing.T) {
	for _, settle := range []bool{false, true} {
		r := serving(t, Options{Settle: settle}, trained(t, "base"))
		var before, would, after, is Explanation
		r.ask("/v1/explain?node=n7", "", 200, &before)
		other := "n90"
		if slices.ContainsFunc(before.Edges, func(e EdgeShare) bool { return e.Other == other }) {
			other = "n91"
		}
		edits := `"edits":[{"add_edge":["n7","` + other + `"]},{"set_features":{"id":"n7","features":[3,-3,2,1]}}]`
		r.ask("/v1/explain", `{"node":"n7",`+edits+`}`, 200, &would)
		r.ask("/v1/explain?node=n7", "", 200, &after)
		if !near(after.Total, before.Total, before.Total) || after.Version != 0 || near(would.Total, before.Total, 1) {
			t.Errorf("settle %v: before %g, would be %g, afterwards %g", settle, before.Total, would.Total, after.Total)
		}
		r.ask("/v1/graph", `{`+edits+`}`, 200, nil)
		r.ask("/v1/explain?node=n7", "", 200, &is)
		if !near(is.Total, would.Total, would.Total) || len(is.Edges) != len(would.Edges) || is.Version != 1 ||
			!near(is.Columns[0].Pull, would.Columns[0].Pull, 1) {
			t.Errorf("settle %v: %+v, want %+v", settle, is, would)
		}
		if would.Rows == 0 || len(would.Settling) < 2 || settle && would.Settling[0] <= would.Total {
			t.Errorf("settle %v: %d rows, %v", settle, would.Rows, would.Settling)
		}
		r.ask("/v1/explain?node=nobody", "", 404, nil)
		r.ask("/v1/explain", `{"node":"n7","edits":[{"add_edge":["n7","n7"]}]}`, 422, nil)
	}
}

// TestColumns: a column has the name and the value of its feature in the row, and its energy is by how much the node's
// own would fall if the feature had its usual value.
func TestColumns(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	g := r.s.models()[0].graph
	var x Explanation
	r.ask("/v1/explain?node=n3", "", 200, &x)
	if len(x.Columns) != 4 {
		t.Fatalf("%+v", x.Columns)
	}
	var row struct {
		Features []float64
		Columns  []struct{ Name string }
	}
	r.ask("/v1/features?node=n3", "", 200, &row)
	for _, c := range x.Columns {
		if c.Name != row.Columns[c.Number].Name || !near(c.Value, row.Features[c.Number], 1) ||
			math.Abs(c.Usual-g.task.Columns()[c.Number].Usual) > 1e-9 {
			t.Errorf("%+v, row %+v", c, row)
		}
		edited := slices.Clone(row.Features)
		edited[c.Number] = c.Usual
		p, err := g.task.Project(0, matrixOf(edited))
		if err != nil {
			t.Fatal(err)
		}
		was, is := g.state.Own(3, p.Slice()), g.state.Own(3, g.state.Pi(3))
		if !near(is.Energy-was.Energy, c.Energy, 1) {
			t.Errorf("%+v: energy %g, without %g", c, is.Energy, was.Energy)
		}
	}
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
