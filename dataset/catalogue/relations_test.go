package catalogue

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestOpenByType: a set of the catalogue may be asked for with its relations split by type.
func TestOpenByType(t *testing.T) {
	root := t.TempDir()
	t.Setenv("BLOOM_DATA", root)
	const ref = "mutag:relations=by-type"
	var absent *NotHereError
	if _, err := Open(ref); !errors.As(err, &absent) {
		t.Fatalf("without files: %v", err)
	}
	var graph bytes.Buffer
	z := gzip.NewWriter(&graph)
	z.Write([]byte("<a:#d1> <a:p> <a:#d2> .\n<a:#d2> <a:p> \"x\" .\n<a:#d3> <a:p> <a:#bond1> .\n"))
	z.Close()
	head, rows := "id\tbond\tlabel_mutagenic\n", "1\ta:#d1\t0\n2\ta:#d2\t1\n"
	for name, text := range map[string]string{"completeDataset.tsv": head + rows + "3\ta:#d3\t1\n",
		"trainingSet.tsv": head + rows, "testSet.tsv": head + "3\ta:#d3\t1\n", "mutag_stripped.nt.gz": graph.String()} {
		path := filepath.Join(root, "rdf", "mutag", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.NumRelations() != 3 || d.Relations[0] != "a:p: a:#d → a:#d" || d.Name != "MUTAG:relations=by-type" {
		t.Errorf("%s has relations %q", d.Name, d.Relations)
	}
	if whole, err := Open("mutag"); err != nil || whole.Graph.NumRelations() != 1 {
		t.Errorf("without the value: %v", err)
	}
}
