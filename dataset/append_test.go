package dataset

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestAppend: rows come after rows, dense or sparse.
func TestAppend(t *testing.T) {
	dense := Matrix{Rows: 2, Cols: 3, Values: []mat.Real{1, 0, 2, 0, 0, 3}}
	sparse := Matrix{Rows: 2, Cols: 3, Ptr: []int64{0, 2, 3}, Idx: []int32{0, 2, 2}, Values: []mat.Real{1, 2, 3}}
	ones := Matrix{Rows: 1, Cols: 3, Ptr: []int64{0, 1}, Idx: []int32{1}}
	want := []mat.Real{1, 0, 2, 0, 0, 3, 0, 1, 0}
	for _, m := range []Matrix{dense, sparse} {
		y := m.Append(ones)
		if y.IsSparse() != m.IsSparse() || y.Rows != 3 {
			t.Errorf("%+v", y)
		}
		got := make([]mat.Real, 9)
		for i := range 3 {
			y.Row(got[3*i:3*i+3], i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestFind: case and zeros before ids do not count if they did not at the import.
func TestFind(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	d := &Dataset{Graph: g, IDs: NewIDs([]string{"Acc-1", "0042"}), Schema: &Schema{Types: []TypeSchema{{}}}}
	for _, folded := range []bool{false, true} {
		d.Schema.Types[0].Folded = folded
		for id, want := range map[string]int{"Acc-1": 0, " ACC-1": 0, "42.0": 1, "43": -1} {
			found := d.Find(id)
			if id != "Acc-1" && !folded {
				want = -1
			}
			if len(found) == 0 && want >= 0 || len(found) > 0 && int(found[0]) != want {
				t.Errorf("folded %v: %q is %v, want %d", folded, id, found, want)
			}
		}
	}
}
