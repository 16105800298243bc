package serve

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// TestSnapshot: the graph as it is now is a data set, which can be trained on.
func TestSnapshot(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	r.ask("/v1/graph", `{"edits":[{"add_node":{"id":"new","features":[3,3,3,3]}},{"add_edge":["new","n3"],"weight":2},`+
		`{"remove_node":"n7"},{"set_features":{"id":"n3","features":[1,-2,0,9]}}]}`, 200, nil)
	resp, err := http.Get(r.URL + "/v1/snapshot")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("status %d, %v: %.200s", resp.StatusCode, err, text)
	}
	path := filepath.Join(t.TempDir(), "now.bloom")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var size struct{ Nodes, Edges int }
	r.ask("/v1/graph", "", 200, &size)
	if d.Graph.NumNodes() != size.Nodes || d.Graph.NumEdges() != size.Edges ||
		len(d.IDs.Find("n7", size.Nodes)) != 0 {
		t.Errorf("%d nodes and %d edges, want %d and %d", d.Graph.NumNodes(), d.Graph.NumEdges(), size.Nodes,
			size.Edges)
	}
	v := d.IDs.Find("new", size.Nodes)
	if len(v) != 1 || d.Labels.Class[v[0]] != -1 {
		t.Errorf("new is %v", v)
	}
	var row [4]float32
	for j, x := range d.Features[0].Entries(int(d.IDs.Find("n3", size.Nodes)[0])) {
		row[j] = float32(x)
	}
	if row != [4]float32{1, -2, 0, 9} {
		t.Errorf("features of n3 are %v", row)
	}
	c, err := config.Default("base", path)
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = 2
	again := filepath.Join(t.TempDir(), "again")
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: again}}); err != nil {
		t.Error(err)
	}
}
