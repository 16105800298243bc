package native

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestEdgeFeatures: features of edges, and how they were made, are in a file, and other ones are other data.
func TestEdgeFeatures(t *testing.T) {
	f := graph.Features{Cols: 2, Values: []mat.Real{1, 2, 3, 4}}
	g, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}, Features: f})
	if err != nil {
		t.Fatal(err)
	}
	columns := []dataset.Column{{Name: "amount", Kind: dataset.Number, SD: 1},
		{Name: "age", Kind: dataset.Number, SD: 2}}
	d := &dataset.Dataset{Name: "told", Graph: g, IDs: dataset.NewIDs([]string{"a", "b", "c"}),
		Schema: &dataset.Schema{Edges: &dataset.TypeSchema{Name: dataset.OfEdges, Columns: columns}}}
	path := filepath.Join(t.TempDir(), "told.bloom")
	if err := Write(path, d); err != nil {
		t.Fatal(err)
	}
	again, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if list := d.Fingerprint().Changes(again.Fingerprint()); len(list) > 0 ||
		!reflect.DeepEqual(again.Schema, d.Schema) || !reflect.DeepEqual(again.Graph.Features(), f) {
		t.Errorf("%+v, changes %q", again.Graph.Features(), list)
	}
	other := *d
	if other.Graph, err = g.WithEdges(nil, graph.Features{Cols: 2, Values: []mat.Real{1, 2, 3, 5}}); err != nil {
		t.Fatal(err)
	}
	if list := d.Fingerprint().Changes(other.Fingerprint()); len(list) != 1 || list[0] != "other edges" {
		t.Errorf("%q for one other number", list)
	}
}
