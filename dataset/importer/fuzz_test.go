package importer

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/dataset/native"
)

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
			if err := native.Write(filepath.Join(dir, "x.bloom"), d); err != nil {
				t.Errorf("label %q: %v", label, err)
			}
		}
	})
}
