package importer

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/dataset/native"
)

// FuzzNewcomers adds any two tables to an import: nodes that fit it, or an error.
func FuzzNewcomers(f *testing.F) {
	dir := f.TempDir()
	old := Spec{Name: "old", Label: "dept", Nodes: []Input{{Table: filepath.Join(dir, "people.csv")}},
		Edges: []Input{{Table: filepath.Join(dir, "follows.csv")}}, Split: Split{None: true}}
	os.WriteFile(old.Nodes[0].Table, []byte(peopleCSV), 0o666)
	os.WriteFile(old.Edges[0].Table, []byte(followsCSV), 0o666)
	d, _, err := Run(context.Background(), old)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(peopleCSV), []byte(followsCSV))
	f.Add([]byte("id,age,city,smoker,joined,bio\nzoe,7,Rome,true,,\n"),
		[]byte("source,target,weight\nzoe,ann,2\nzoe,?,\n"))
	f.Add([]byte("{\"id\":\"zoe\",\"age\":\"\xff\"}\n"), []byte("zoe ann\n"))
	f.Fuzz(func(t *testing.T, nodes, edges []byte) {
		dir := t.TempDir()
		spec := late(dir)
		spec.Rejects = "" // forcing them to the disk takes longer than all the rest
		os.WriteFile(spec.Nodes[0].Table, nodes, 0o666)
		os.WriteFile(spec.Edges[0].Table, edges, 0o666)
		n, _, err := Newcomers(context.Background(), d, spec)
		if err != nil {
			return
		}
		if n.Features[0].Rows != len(n.IDs) || n.Features[0].Cols != d.Features[0].Cols {
			t.Errorf("%d nodes have %d rows of %d features", len(n.IDs), n.Features[0].Rows, n.Features[0].Cols)
		}
		for _, e := range n.Edges {
			if most := int32(d.Graph.NumNodes() + len(n.IDs)); min(e.U, e.V) < 0 || max(e.U, e.V) >= most {
				t.Errorf("edge %v between %d nodes", e, most)
			}
		}
	})
}

// FuzzImport imports any two tables: a data set that can be written to a file, or an error.
func FuzzImport(f *testing.F) {
	f.Add([]byte(peopleCSV), []byte(followsCSV))
	f.Add([]byte("id,split,dept\na,train,x\nb,test,y\n"), []byte("a b\n"))
	f.Add([]byte("{\"id\":1,\"dept\":2}\n"), []byte("source,target,relation,weight\n1,1,r,\n"))
	f.Fuzz(func(t *testing.T, nodes, edges []byte) {
		dir := t.TempDir()
		spec := Spec{Name: "fuzz", Nodes: []Input{{Table: filepath.Join(dir, "n.csv")}},
			Edges: []Input{{Table: filepath.Join(dir, "e.txt")}}}
		os.WriteFile(spec.Nodes[0].Table, nodes, 0o666)
		os.WriteFile(spec.Edges[0].Table, edges, 0o666)
		for _, label := range []string{"dept", ""} {
			spec.Label = label
			d, _, err := Run(context.Background(), spec)
			if err != nil {
				continue
			}
			if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
				t.Errorf("label %q: %v", label, err)
			}
		}
	})
}
