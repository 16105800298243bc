package ondisk_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// like is a likeness of n nodes of a source in blocks of some rows, and all of it.
func like(t *testing.T, src ondisk.Source, rows, n int) (some, all *dataset.Dataset) {
	t.Helper()
	dir, _ := built(t, src, ondisk.Options{Rows: rows})
	s, err := ondisk.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if some, err = s.Like(n); err != nil {
		t.Fatal(err)
	}
	if all, err = ondisk.Read(dir); err != nil {
		t.Fatal(err)
	}
	return some, all
}

// TestLike: a likeness has about as many nodes as were asked for, rows that are there, as many edges for a node, and
// parts of all kinds; of all nodes it is the graph itself.
func TestLike(t *testing.T) {
	src := streamed(t, "planted:nodes=5000,edges=30000,features=3,classes=4")
	for _, rows := range []int{0, 700, 100} { // one block, some, and more than are looked at
		some, all := like(t, src, rows, 1000)
		n, x := some.Graph.NumNodes(), some.Features[0]
		if n < 900 || n > 1000 || x.Rows != n || len(x.Values) != 3*n {
			t.Errorf("rows of %d: %d nodes, %d rows", rows, n, x.Rows)
		}
		want := float64(all.Graph.NumEdges()) / float64(all.Graph.NumNodes())
		if got := float64(some.Graph.NumEdges()) / float64(n); math.Abs(got-want) > 0.1*want {
			t.Errorf("rows of %d: %.2f edges a node, want %.2f", rows, got, want)
		}
		for r := range n {
			row := x.Values[3*r : 3*r+3]
			if i := slices.Index(all.Features[0].Values, row[0]); !slices.Equal(all.Features[0].Values[i:i+3], row) {
				t.Fatalf("rows of %d: row %d is none of the graph", rows, r)
			}
		}
		s := some.Splits[0]
		if len(s.Train)+len(s.Valid)+len(s.Test) != n || len(s.Train) < n/4 || len(s.Valid) < n/4 || len(s.Test) < n/4 {
			t.Errorf("rows of %d: %d, %d and %d nodes of %d", rows, len(s.Train), len(s.Valid), len(s.Test), n)
		}
	}
	some, all := like(t, src, 0, 5000)
	if !slices.Equal(triples(some.Graph), triples(all.Graph)) ||
		!slices.Equal(some.Features[0].Values, all.Features[0].Values) {
		t.Error("all nodes are not the graph")
	}
}

// TestLikeTyped: types, their features and relations stay, and labels are where there are some.
func TestLikeTyped(t *testing.T) {
	src, err := ondisk.Of(typed(t, false))
	if err != nil {
		t.Fatal(err)
	}
	some, all := like(t, src, 7, 45)
	for k, x := range some.Features {
		want := len(some.Graph.NodesOfType(int32(k)))
		if x.Cols != all.Features[k].Cols || x.Cols > 0 && x.Rows != want {
			t.Errorf("type %d: %d rows of %d columns, want %d of %d", k, x.Rows, x.Cols, want, all.Features[k].Cols)
		}
	}
	for v, class := range some.Labels.Class {
		if (class >= 0) != (some.Graph.NodeTypes()[v] == 0) {
			t.Errorf("node %d of type %d has class %d", v, some.Graph.NodeTypes()[v], class)
		}
	}
	if n := some.Graph.NumNodes(); n < 30 || n > 45 || some.Graph.NumRelations() != 3 || some.Graph.NumEdges() < 2*n {
		t.Errorf("%d nodes, %d edges, %d relations", n, some.Graph.NumEdges(), some.Graph.NumRelations())
	}
}
