package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// importTexts imports a table of nodes and one of edges, given as texts.
func importTexts(t *testing.T, spec Spec, nodes, edges string) (*dataset.Dataset, *Report) {
	t.Helper()
	dir := tables(t, map[string]string{"nodes.csv": nodes, "edges.csv": edges})
	spec.Nodes = []Input{{Table: filepath.Join(dir, "nodes.csv")}}
	if edges != "" {
		spec.Edges = []Input{{Table: filepath.Join(dir, "edges.csv")}}
	}
	d, report, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return d, report
}

// TestLabelSpellings: classes that are spelt in several ways are one, unless --merge none says otherwise.
func TestLabelSpellings(t *testing.T) {
	nodes := "id,y\n"
	for i := range 60 {
		nodes += fmt.Sprintf("n%d,%s\n", i, []string{"false claim", "Ok", "ok ", "FALSE claim"}[i%4])
	}
	nodes += "a,flase claim\n"
	d, _ := importTexts(t, Spec{Label: "y"}, nodes, "u,v\nn1,n2\nn3,a\n")
	if want := []string{"FALSE claim", "Ok"}; !slices.Equal(d.Labels.Names, want) {
		t.Errorf("classes are %q, want %q", d.Labels.Names, want)
	}
	if d.Schema.Types[0].Same["flase claim"] != "FALSE claim" {
		t.Errorf("spellings are %q", d.Schema.Types[0].Same)
	}
	d, _ = importTexts(t, Spec{Label: "y", Merge: []string{mergeNone}}, nodes, "u,v\nn1,n2\nn3,a\n")
	if len(d.Labels.Names) != 5 || !strings.Contains(d.Notes[len(d.Notes)-1], "similar spellings") {
		t.Errorf("apart: %q, %q", d.Labels.Names, d.Notes)
	}
}

// TestEndColumns: the columns of ends are found by their values, and values without a table become nodes.
func TestEndColumns(t *testing.T) {
	nodes, edges := "vendor id,size,y\n", "no,when,vendor,plant,qty\n"
	for i := range 40 {
		nodes += fmt.Sprintf("V%02d,%d,%d\n", i, i%7, i%2)
	}
	for i := range 200 {
		edges += fmt.Sprintf("%d,2024-01-%02d,v%02d,P%d,%d kg\n", 1000+i, 1+i%28, i%40, i%9, i%13)
	}
	d, report := importTexts(t, Spec{Label: "y"}, nodes, edges)
	if want := []string{"nodes", "plant"}; !slices.Equal(d.Types, want) || d.Graph.NumNodes() != 49 {
		t.Errorf("types %q, %d nodes; want %q, 49", d.Types, d.Graph.NumNodes(), want)
	}
	if n := report.Edges[0]; n.Rejected > 0 || n.Roles[0].Column != "vendor" || n.Roles[1].Column != "plant" {
		t.Errorf("edges: %+v", n)
	}
	if made := report.Edges[0].Made; !slices.Contains(made, "edges.qty.sum.out") ||
		slices.ContainsFunc(made, func(name string) bool { return strings.Contains(name, ".no.") }) {
		t.Errorf("made are %q", made)
	}
}

// TestThingsWithNumbers: values that are ids of nodes too number things of their own where the other end is called as
// the ids are, and this is not; not if they reach as far as those, or the user names the ends.
func TestThingsWithNumbers(t *testing.T) {
	nodes, far := "account_id,y\n", "device_id,account_id\n"
	for i := range 60 {
		nodes += fmt.Sprintf("%d,%d\n", i+1, i%2)
	}
	edges := far
	for i := range 200 {
		edges += fmt.Sprintf("%d,%d\n", 1+i*7%20, 1+i%60)
		far += fmt.Sprintf("%d,%d\n", 1+i*7%60, 1+i%60)
	}
	d, _ := importTexts(t, Spec{Label: "y"}, nodes, edges)
	if want := []string{"nodes", "device_id"}; !slices.Equal(d.Types, want) || d.Graph.NumNodes() != 80 {
		t.Errorf("types %q, %d nodes; want %q, 80", d.Types, d.Graph.NumNodes(), want)
	}
	if d, _ = importTexts(t, Spec{Label: "y"}, nodes, far); d.Graph.NumNodes() != 60 {
		t.Errorf("%d nodes where the ids are the same", d.Graph.NumNodes())
	}
	for _, role := range []string{"parent_id", "referred-by-id", "payer_account_id"} {
		same := strings.Replace(edges, "device_id", role, 1)
		if d, _ = importTexts(t, Spec{Label: "y"}, nodes, same); d.Graph.NumNodes() != 60 {
			t.Errorf("%d nodes where the other end is %s", d.Graph.NumNodes(), role)
		}
	}
	d, _ = importTexts(t, Spec{Label: "y", Source: "device_id", Target: "account_id"}, nodes, edges)
	if d.Graph.NumNodes() != 60 {
		t.Errorf("%d nodes where the ends are named", d.Graph.NumNodes())
	}
}

// TestLeaks: columns that give away the label are warned of, by their levels, their order, or where they are empty.
func TestLeaks(t *testing.T) {
	nodes := "id,score,closed,flag,age,city,y\n"
	for i := range 100 {
		left, closed, flag := i%4 == 0, "", "n"
		score := 0.1 + float64(i%10)/100
		if left {
			closed, score = fmt.Sprintf("2024-0%d-11", 1+i%9), score+0.5
		}
		if left != (i == 3) {
			flag = "y"
		}
		nodes += fmt.Sprintf("n%d,%g,%s,%s,%d,%s,%t\n", i, score, closed, flag, 20+i*7%50,
			[]string{"A", "B", "C"}[i%3], left)
	}
	d, _ := importTexts(t, Spec{Label: "y"}, nodes, "u,v\nn1,n2\nn3,n9\n")
	for name, want := range map[string]bool{"score": true, "closed": true, "flag": true, "age": false, "city": false} {
		got := slices.ContainsFunc(d.Notes, func(note string) bool {
			return strings.Contains(note, fmt.Sprintf("column %q gives away", name))
		})
		if got != want {
			t.Errorf("%s gives the label away: %t, want %t; %q", name, got, want, d.Notes)
		}
	}
	number := "id,a,b,y\n"
	for i := range 50 {
		y := float64(i*37%101) + 0.5*float64(i%2)
		number += fmt.Sprintf("n%d,%d,%d,%g days\n", i, int(y), i%5, y)
	}
	d, _ = importTexts(t, Spec{Label: "y"}, number, "u,v\nn1,n2\nn3,n9\n")
	if d.Labels.Task != dataset.Numbers || len(d.Notes) == 0 || !strings.Contains(d.Notes[0], `column "a" gives away`) {
		t.Errorf("task %q, %q", d.Labels.Task, d.Notes)
	}
}

// TestNewSpellings: new rows have the labels that spellings of them were merged with, and levels that are not among
// those of their column are said.
func TestNewSpellings(t *testing.T) {
	nodes := "id,city,y\n"
	for i := range 3000 {
		nodes += fmt.Sprintf("n%d,%s,%s\n", i, fmt.Sprint("city ", string(rune('A'+i%10)), string(rune('a'+i/10%10))),
			[]string{"Stays", "leaves", "stays"}[i%3])
	}
	d, _ := importTexts(t, Spec{Label: "y"}, nodes, "u,v\nn1,n2\nn3,n9\n")
	dir := tables(t, map[string]string{"nodes.csv": "id,city,y\nz1,Atlantis,stays\nz2,city Aa,leaves\n",
		"edges.csv": "u,v\nz1,n1\n"})
	n, _, err := Newcomers(t.Context(), d, late(dir))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 1}; !slices.Equal(n.Class, want) {
		t.Errorf("classes %v of %q, want %v", n.Class, d.Labels.Names, want)
	}
	if want := `column "city": 1 values are not among its levels and count as (other), such as "Atlantis"`; len(
		n.Notes) != 1 || n.Notes[0] != want {
		t.Errorf("notes %q, want %q", n.Notes, want)
	}
}

// TestPostgres imports a query for nodes and one for edges, from the server that BLOOM_POSTGRES names.
func TestPostgres(t *testing.T) {
	address := os.Getenv("BLOOM_POSTGRES")
	if address == "" {
		t.Skip("BLOOM_POSTGRES is not set: no PostgreSQL to read from")
	}
	in := func(query string) []Input { return []Input{ParseInput(address + " " + query)} }
	d, report, err := Run(t.Context(), Spec{Label: "y",
		Nodes: in("SELECT 'c'||i AS id, i*1.5 AS fee, i%2=0 AS y, now()-i*interval '1 day' AS since " +
			"FROM generate_series(1,60) i"),
		Edges: in("SELECT i AS no, 'C'||(1+i%60) AS customer, i%7 AS shop, now()-i*interval '1 hour' AS at, " +
			"(i%13)::numeric(10,2) AS spent FROM generate_series(1,600) i")})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.NumNodes() != 67 || report.Rejected > 0 || !slices.Equal(d.Types, []string{"row", "shop"}) {
		t.Errorf("%d nodes of types %q; %+v", d.Graph.NumNodes(), d.Types, report)
	}
	for _, name := range []string{"edges.spent.sum.out", "edges.at.last.out", "edges.count.in"} {
		if !d.Schema.Made(name) {
			t.Errorf("no column %s among %+v", name, d.Schema.Stats)
		}
	}
}

// TestRowNumbers: a first column without a name that numbers the rows is neither an id, nor an end, nor a feature; a
// footnote is no node, and amounts with units are no weights.
func TestRowNumbers(t *testing.T) {
	nodes, edges := ",shop_key,size,y\n", ",payer,payee,weight\n"
	for i := range 40 {
		nodes += fmt.Sprintf("%d,S%02d,%d,%d\n", i, i, i%7, i%2)
		edges += fmt.Sprintf("%d,s%02d,S%02d,%d kg\n", i, i, (i+1)%40, i%5)
	}
	d, report := importTexts(t, Spec{Label: "y"}, nodes+"Source: own data,,,\n", edges)
	if d.Graph.NumNodes() != 40 || report.Edges[0].Rejected > 0 || report.Nodes[0].Roles[0].Column != "shop_key" ||
		len(d.Schema.Types[0].Columns) == 0 || d.Schema.Types[0].Columns[0].Name != "size" {
		t.Errorf("%d nodes, %+v", d.Graph.NumNodes(), report)
	}
	if made := report.Edges[0].Made; !slices.Contains(made, "edges.weight.sum.in") {
		t.Errorf("made are %q", made)
	}
}

// TestEndsWithoutNodes: without tables of nodes, ends are the columns that share values, compared without case if that
// makes one node of many.
func TestEndsWithoutNodes(t *testing.T) {
	edges := "tx,when,payer,payee,paid\n"
	for i := range 60 {
		edges += fmt.Sprintf("t%d,2024-01-%02d 10:00,ab%d,AB%d,%d.5\n", i, 1+i%28, i%30, (i+7)%30, i)
	}
	dir := tables(t, map[string]string{"edges.csv": edges})
	spec := Spec{Edges: []Input{{Table: filepath.Join(dir, "edges.csv")}}}
	d, _, err := Run(t.Context(), spec)
	if err != nil || d.Graph.NumNodes() != 30 || !strings.Contains(strings.Join(d.Notes, "\n"), "case") {
		t.Errorf("%v, %v", d, err)
	}
	spec.ExactIDs = true
	if d, _, err = Run(t.Context(), spec); err != nil || d.Graph.NumNodes() != 60 {
		t.Errorf("exact: %v, %v", d, err)
	}
}

// TestFewLabels: a table of ids and labels does not limit the nodes where most edges lead to others.
func TestFewLabels(t *testing.T) {
	nodes, edges := "id,y\n", "u,v,amount\n"
	for i := range 10 {
		nodes += fmt.Sprintf("A%d,%d\n", i, i%2)
	}
	for i := range 100 {
		edges += fmt.Sprintf("a%d,A%d,%d\n", i, (i*7)%100, i)
	}
	d, report := importTexts(t, Spec{Label: "y"}, nodes, edges)
	labelled := 0
	for _, c := range d.Labels.Class {
		if c >= 0 {
			labelled++
		}
	}
	if d.Graph.NumNodes() != 100 || labelled != 10 || report.Rejected > 0 || d.Features[0].Rows != 100 {
		t.Errorf("%d nodes, %d labelled, %+v", d.Graph.NumNodes(), labelled, report)
	}
}

// TestAmountsAreNoIDs: a column of ids stays one, although more amounts of edges are amounts of nodes.
func TestAmountsAreNoIDs(t *testing.T) {
	for _, amount := range []string{"%d.25", "%d"} {
		nodes, edges := "id,revenue,y\n", "payer,payee,amount\n"
		for i := range 60 {
			nodes += fmt.Sprintf("C-%02d,"+amount+",%d\n", i, 700+i, i%2)
			edges += fmt.Sprintf("C-%02d,C-%02d,"+amount+"\n", i%9, (i+1)%9, 700+i)
		}
		d, _ := importTexts(t, Spec{Label: "y"}, nodes, edges)
		if d.Graph.NumNodes() != 60 || string(d.IDs.At(0)) != "C-00" || d.Graph.NumEdges() != 9 {
			t.Errorf("amounts such as %q: %d nodes, the first %q, %d edges; want 60, C-00, 9", amount,
				d.Graph.NumNodes(), d.IDs.At(0), d.Graph.NumEdges())
		}
	}
}
