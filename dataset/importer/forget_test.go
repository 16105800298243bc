package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// TestRefit: a data set that forgets rows equals the import of tables that never had them.
func TestRefit(t *testing.T) {
	people := func(without string) (nodes, edges string) {
		nodes, edges = "name,age,city,active,dept\n", "from,to,amount,day\n"
		for i := range 60 {
			name := fmt.Sprintf("p%d", i)
			if name != without {
				nodes += fmt.Sprintf("%s,%d,%s,%s,%s\n", name, 20+i*7%41, []string{"Ulm", "Bonn", "Kiel"}[i%3],
					[]string{"yes", "no"}[i/2%2], []string{"sales", "lab"}[i%2])
			}
			for _, step := range []int{1, 7, 7, 7, 3}[:2+i%4] {
				to := fmt.Sprintf("p%d", (i+step)%60)
				if name != without && to != without && !(i == 20 && step == 1) {
					edges += fmt.Sprintf("%s,%s,%d,2024-0%d-11\n", name, to, 10+(i+step)*i%97, 1+(i+step)%9)
				}
			}
		}
		return nodes, edges
	}
	all, allEdges := people("")
	few, fewEdges := people("p41")
	allEdges += "p20,p21,999,2023-01-02\n"
	d := imported(t, all, allEdges)
	want := imported(t, few, fewEdges)
	gone := dataset.Gone{Nodes: d.Find("p41")}
	u, v := d.Find("p20")[0], d.Find("p21")[0]
	for e := range int32(d.Graph.NumEdges()) {
		if x := d.Graph.Edge(e); min(x.U, x.V) == min(u, v) && max(x.U, x.V) == max(u, v) {
			gone.Edges = append(gone.Edges, e)
		}
	}
	got, err := d.Without(gone)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = Refit(got); err != nil {
		t.Fatal(err)
	}
	got.Splits, want.Splits = nil, nil // which are drawn again
	a, b := got.Fingerprint(), want.Fingerprint()
	if changes := b.Changes(a); len(changes) > 0 {
		t.Errorf("differs from the import without the rows: %v", changes)
	}
	if x := got.Find("p41"); x != nil {
		t.Errorf("p41 is node %v", x)
	}
	if d.Graph.NumNodes() != 60 || d.Features[0].Rows != 60 {
		t.Error("the old data set was modified")
	}
}

// TestForgetsLabels: neither the labels nor the table that they came from have them any more.
func TestForgetsLabels(t *testing.T) {
	nodes := "id,age,dept\n"
	for i := range 12 {
		nodes += fmt.Sprintf("n%d,%d,%s\n", i, 20+i, []string{"sales", "lab", "rare"}[min(2, i%2+i/11)])
	}
	d := imported(t, nodes, "from,to,amount,day\nn1,n2,3,2024-01-01\nn11,n3,4,2024-01-02\n")
	v := d.Find("n11")[0]
	got, err := d.Without(dataset.Gone{Labels: []int32{v}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Labels.Class[v] != -1 || !slices.Equal(got.Labels.Names, []string{"lab", "sales"}) {
		t.Errorf("class %d of %v, want none of lab and sales", got.Labels.Class[v], got.Labels.Names)
	}
	for i, c := range got.Labels.Class {
		if int32(i) != v && got.Labels.Names[c] != d.Labels.Names[d.Labels.Class[i]] {
			t.Errorf("node %d is of class %s, was %s", i, got.Labels.Names[c], d.Labels.Names[d.Labels.Class[i]])
		}
	}
	for _, c := range got.Raw.Nodes[0] {
		if strings.Contains(string(c.Values.Bytes), "rare") {
			t.Errorf("column %s still has the label", c.Name)
		}
	}
	if _, err := d.Without(dataset.Gone{Nodes: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}); err == nil {
		t.Error("all nodes were forgotten")
	}
}

func imported(t *testing.T, nodes, edges string) *dataset.Dataset {
	t.Helper()
	dir := t.TempDir()
	spec := Spec{Name: "people", Label: "dept", ExactIDs: true}
	for name, text := range map[string]string{"nodes.csv": nodes, "edges.csv": edges} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec.Nodes = []Input{{Table: filepath.Join(dir, "nodes.csv")}}
	spec.Edges = []Input{{Table: filepath.Join(dir, "edges.csv")}}
	d, _, err := Run(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
