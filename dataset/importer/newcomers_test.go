package importer

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/graph"
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
		got, err := Newcomers(d, filepath.Join(dir, "nodes.csv"), filepath.Join(dir, "edges.csv"))
		if err != nil {
			t.Errorf("%q: %v", edges, err)
			continue
		}
		if !slices.Equal(got.IDs, []string{"zoe", "yan"}) || !slices.Equal(got.Edges, want) || got.Features.Rows != 2 ||
			got.Features.Cols != d.Features[0].Cols {
			t.Errorf("%q: %+v", edges, got)
		}
	}
	for edges, want := range map[string]string{
		"a\nzoe\n":                             "a table of edges needs two columns",
		"source,target,weight\nzoe,ann,-1\n":   "edges.csv:2: column \"weight\": the weight \"-1\" is not a number ≥ 0",
		"source,target\nann,bob\n":             "neither \"ann\" nor \"bob\" is new",
		"source,target\nzoe,nobody\n":          "nobody",
		"source,target,weight\nzoe,ann,much\n": "is not a number ≥ 0",
	} {
		dir := tables(t, map[string]string{"nodes.csv": nodes, "edges.csv": edges})
		if _, err := Newcomers(d, filepath.Join(dir, "nodes.csv"), filepath.Join(dir, "edges.csv")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", edges, err, want)
		}
	}
}
