package catalogue

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/testkit"
)

// TestCatalogueSets opens every set of the catalogue that is in $BLOOM_DATA, compares its counts with
// the published ones, and stores and opens it again.
func TestCatalogueSets(t *testing.T) {
	root := os.Getenv("BLOOM_DATA")
	if root == "" {
		t.Skip("BLOOM_DATA is not set with benchmark files")
	}
	if testing.Short() {
		t.Skip("opening all sets takes seconds")
	}
	opened := 0
	for _, e := range All() {
		if len(e.missing(root)) > 0 {
			continue
		}
		opened++
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			d, err := Open(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			got := audit.Describe(d)
			counts := [...]int{got.Nodes, got.Edges, got.Features, got.Classes, got.Relations, len(got.Splits)}
			if want := [...]int{e.Nodes, e.Edges, e.Features, e.Classes, e.Relations, e.Splits}; counts != want {
				t.Errorf("nodes, edges, features, classes, relations, splits: %v, want %v", counts, want)
			}
			first := [3]int{got.Splits[0].Train, got.Splits[0].Valid, got.Splits[0].Test}
			if e.Split[1] == 0 { // the validation nodes of RDF sets are a part of their training nodes
				first[0], first[1] = first[0]+first[1], 0
			}
			if e.Split != [3]int{} && first != e.Split {
				t.Errorf("split %v, want %v", first, e.Split)
			}
			if (d.Twin != nil) != (e.Task == taskInductive) || d.IsLinks() != (e.Task != taskNodes) {
				t.Errorf("the task is not %s", e.Task)
			}
			path := filepath.Join(t.TempDir(), "set.bloom")
			if err := native.Write(path, d); err != nil {
				t.Fatal(err)
			}
			again, err := format.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Same(t, again, d)
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if opened == 0 {
		t.Errorf("no set of the catalogue is in %s", root)
	}
}

// The tasks of Entry.Task.
const (
	taskNodes     = "nodes"     // classes of nodes
	taskLinks     = "links"     // missing triples
	taskInductive = "inductive" // missing triples among entities that training never saw
)
