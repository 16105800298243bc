package importer

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/mat"
)

// TestNewcomers reads rows that come after an import. Their edges have columns as edges of an import have, in
// whatever way these are found.
func TestNewcomers(t *testing.T) {
	d, _, _ := team(t)
	n := int32(d.Graph.NumNodes())
	ann, err := d.Node("ann")
	if err != nil {
		t.Fatal(err)
	}
	header := slices.Clone(d.Schema.Types[0].Columns)
	names := []string{"id"}
	for _, c := range header {
		names = append(names, c.Name)
	}
	nodes := strings.Join(names, ",") + "\n" + "zoe" + strings.Repeat(",", len(header)) + "\n" + "yan" +
		strings.Repeat(",", len(header)) + "\n"
	want := []graph.Triple{{U: n, V: ann}, {U: n + 1, V: n}}
	for _, edges := range []string{
		"source,target\nzoe,ann\nyan,zoe\n",
		"weight,to,from\n1,ann,zoe\n1,zoe,yan\n",
		"dst,who\nann,zoe\nzoe,yan\n", // one end by its name, the other is what is left
		"a,b\nzoe,ann\nyan,zoe\n",
	} {
		dir := tables(t, map[string]string{"nodes.csv": nodes, "edges.csv": edges})
		got, _, err := Newcomers(t.Context(), d, late(dir))
		if err != nil {
			t.Errorf("%q: %v", edges, err)
			continue
		}
		if !slices.Equal(got.IDs, []string{"zoe", "yan"}) || !slices.Equal(got.Edges, want) ||
			got.Features[0].Rows != 2 ||
			got.Features[0].Cols != d.Features[0].Cols {
			t.Errorf("%q: %+v", edges, got)
		}
	}
	dir := tables(t, map[string]string{"nodes.csv": nodes, "edges.csv": "a\nzoe\n"})
	if _, _, err := Newcomers(t.Context(), d, late(dir)); err == nil ||
		!strings.Contains(err.Error(), "a table of edges needs two columns") {
		t.Error(err)
	}
}

// late are the tables of newcomers in a folder.
func late(dir string) Spec {
	return Spec{Nodes: []Input{{Table: filepath.Join(dir, "nodes.csv")}},
		Edges: []Input{{Table: filepath.Join(dir, "edges.csv")}}, Rejects: filepath.Join(dir, "rejects.csv")}
}

// TestBadNewcomers: rows that cannot be used stop nothing but where they must be none, and what does not fit a column
// is noted.
func TestBadNewcomers(t *testing.T) {
	d, _, _ := team(t)
	nodes := "id,age,city,smoker,joined,bio,dept\nzoe,old,Rome,true,,,dev\nann,1,Rome,true,,,\nzoe,1,,,,,\n,1,,,,,\n" +
		"yan,7\nxi,30,Lima,true,,,chef\n"
	edges := "source,target,weight\nzoe,ann,2\nann,zoe,1\nzoe,nobody,1\nann,bob,1\nzoe,xi,much\nxi\nxi,,1\n" +
		"xi,bob,\n"
	dir := tables(t, map[string]string{"nodes.csv": nodes, "edges.csv": edges})
	n, report, err := Newcomers(t.Context(), d, late(dir))
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]int{"the id was there before": 2, "the id is missing": 1, table.OtherLength: 2,
		"the target is not among the nodes": 1, "neither end is new": 1,
		"the weight is not a number ≥ 0": 1, "the target is missing": 1}
	if !maps.Equal(report.Reasons, reasons) || report.Rejected != 9 || report.Nodes[0].Rejected != 4 ||
		report.Nodes[0].Rows != 6 || report.Edges[0].Rejected != 5 {
		t.Errorf("%+v", report)
	}
	notes := []string{"1 rows repeat a new edge and are merged with it", `column "age": 1 values are not of kind number and count as missing, such as "old"`,
		`column "city": 1 values were never seen before and count as missing, such as "Lima"`}
	if !slices.Equal(n.Notes, notes) || !slices.Equal(n.Class, []int32{0, -1}) || !slices.Equal(n.Weights,
		[]mat.Real{2, 1}) {
		t.Errorf("notes %q, classes %v, weights %v", n.Notes, n.Class, n.Weights)
	}
	checkRejects(t, filepath.Join(dir, "rejects.csv"), [][]string{
		{"nodes.csv", "6", "the row has 2 fields, the header has 7", "yan,7"},
		{"nodes.csv", "3", `the id "ann" was there before`, "ann,1,Rome,true,,,"},
		{"nodes.csv", "4", `the id "zoe" was there before`, "zoe,1,,,,,"},
		{"nodes.csv", "5", "the id is missing", ",1,,,,,"},
		{"edges.csv", "7", "the row has 1 field, the header has 3", "xi"},
		{"edges.csv", "4", `the target "nobody" is not among the nodes`, "zoe,nobody,1"},
		{"edges.csv", "5", "neither end is new", "ann,bob,1"},
		{"edges.csv", "6", `the weight "much" is not a number ≥ 0`, "zoe,xi,much"},
		{"edges.csv", "8", "the target is missing", "xi,,1"}})
	strict := late(dir)
	strict.Strict = true
	if _, _, err := Newcomers(t.Context(), d, strict); err == nil || !strings.Contains(err.Error(), "nodes.csv:6: ") {
		t.Errorf("strictly: %v", err)
	}
	none := tables(t, map[string]string{"nodes.csv": "id,age,city,smoker,joined\nann,1,Rome,true,\n",
		"edges.csv": edges})
	if _, _, err := Newcomers(t.Context(), d, late(none)); err == nil ||
		!strings.Contains(err.Error(), "none of 1 rows can be used; line 2: the id \"ann\" was there before") {
		t.Errorf("no new node: %v", err)
	}
}

// TestJoin: newcomers that were taken out of a data set come back as the nodes that they were, with their rows and
// edges as they came.
func TestJoin(t *testing.T) {
	d, _, _ := team(t)
	dir := tables(t, map[string]string{
		"nodes.csv": "id,age,city,smoker,joined,bio,dept\nzoe,25,Rome,true,2020-01-01,new here,dev\n",
		"edges.csv": "from,to,since\nzoe,eve,2024\n"})
	n, _, err := Newcomers(t.Context(), d, late(dir))
	if err != nil {
		t.Fatal(err)
	}
	all, err := n.Join(d)
	if err != nil {
		t.Fatal(err)
	}
	v, err := all.Node("zoe")
	if err != nil || int(v) != d.Graph.NumNodes() || all.Labels.Class[v] != 0 ||
		all.Graph.NumEdges() != d.Graph.NumEdges()+1 || len(all.Splits[0].Train) != len(d.Splits[0].Train) {
		t.Fatalf("node %d, %v: %+v", v, err, all)
	}
	for _, c := range all.Raw.Nodes[0] {
		if c.Name == "bio" && string(c.Values.Get(int(v))) != "new here" {
			t.Errorf("bio is %q", c.Values.Get(int(v)))
		}
	}
	if x := all.Raw.Edges[0]; x.Name != "since" || string(x.Values.Get(d.Graph.NumEdges())) != "2024" {
		t.Errorf("column %q of edges: %q", x.Name, x.Values.Get(d.Graph.NumEdges()))
	}
	again, err := Encode(all, d.Schema)
	if err != nil || !slices.Equal(again.Features[0].Values, all.Features[0].Values) {
		t.Errorf("the rows encoded anew: %v, were %v (%v)", again.Features[0], all.Features[0], err)
	}
}

// TestFacts: lines that are no facts and relations that are not known are set aside.
func TestFacts(t *testing.T) {
	d := &dataset.Dataset{Relations: []string{"parent_of", "knows"}}
	dir := tables(t, map[string]string{"new.tsv": "ann\tknows\tbob\nann\tbob\n\nann\tparent\tbob\n\tknows\tbob\n",
		"none.tsv": "ann,knows,bob\n"})
	spec := Spec{Edges: []Input{{Table: filepath.Join(dir, "new.tsv")}}, Rejects: filepath.Join(dir, "rejects.csv")}
	facts, report, err := Facts(d, spec)
	reasons := map[string]int{table.OtherLength: 1, "the relation is not known": 1, "a name is empty": 1}
	if err != nil || !slices.Equal(facts, []dataset.Fact{{Head: "ann", Relation: "knows", Tail: "bob"}}) ||
		!maps.Equal(report.Reasons, reasons) {
		t.Errorf("%v, %+v, %v", facts, report, err)
	}
	checkRejects(t, spec.Rejects, [][]string{{"new.tsv", "2", "2 columns, want head ⇥ relation ⇥ tail", "ann\tbob"},
		{"new.tsv", "4", `the relation "parent" is not known; did you mean "parent_of"?`, "ann\tparent\tbob"},
		{"new.tsv", "5", "a name is empty", "\tknows\tbob"}})
	spec.Strict = true
	if _, _, err := Facts(d, spec); err == nil || !strings.Contains(err.Error(), "new.tsv:2: 2 columns") {
		t.Errorf("strictly: %v", err)
	}
	spec = Spec{Edges: []Input{{Table: filepath.Join(dir, "none.tsv")}}}
	if _, _, err := Facts(d, spec); err == nil || !strings.Contains(err.Error(), "none of 1 lines can be used") {
		t.Errorf("no facts: %v", err)
	}
}
