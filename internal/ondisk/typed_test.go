package ondisk_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// typed is a set of people with two features, things with three and places with none, in any order, joined by three
// relations, some of them both ways and in parallel, with loops and repeats.
func typed(t *testing.T, undirected bool) *dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 90
	spec := graph.Spec{Nodes: n, Relations: 3, Types: 3, Undirected: undirected}
	d := &dataset.Dataset{Name: "typed", Types: []string{"person", "thing", "place"},
		Relations: []string{"has", "knows", "near"}, Features: make([]dataset.Matrix, 3),
		Labels: dataset.Labels{Names: []string{"a", "b"}}, Splits: make([]dataset.Split, 1)}
	for c, cols := range []int{2, 3} {
		d.Features[c].Cols = cols
	}
	for v := range int32(n) {
		kind := r.Int32N(3)
		spec.NodeTypes = append(spec.NodeTypes, kind)
		if kind < 2 {
			row := make([]mat.Real, d.Features[kind].Cols)
			for j := range row {
				row[j] = mat.Real(float32(r.NormFloat64())) // as files have them
			}
			d.Features[kind].AppendRow(row)
		}
		class := int32(-1)
		if kind == 0 {
			class = v % 2
			ondisk.Part(1+r.IntN(3)).AddTo(&d.Splits[0], v)
		}
		d.Labels.Class = append(d.Labels.Class, class)
	}
	for range 300 {
		spec.Triples = append(spec.Triples, graph.Triple{U: r.Int32N(n), R: r.Int32N(3), V: r.Int32N(n)})
	}
	spec.Triples = append(spec.Triples, spec.Triples[:5]...)
	spec.Triples = append(spec.Triples, graph.Triple{U: 7, R: 1, V: 7})
	var err error
	if d.Graph, err = graph.Build(spec); err != nil {
		t.Fatal(err)
	}
	return d
}

// triples are the edges of a graph in order, each once and no loops, those of an undirected one from the smaller end.
func triples(g *graph.Graph) []graph.Triple {
	list := slices.DeleteFunc(slices.Clone(g.Triples()), func(x graph.Triple) bool { return x.U == x.V })
	for i, x := range list {
		if g.Undirected() && x.U > x.V {
			list[i].U, list[i].V = x.V, x.U
		}
	}
	slices.SortFunc(list, func(a, b graph.Triple) int {
		return slices.Compare([]int32{a.U, a.V, a.R}, []int32{b.U, b.V, b.R})
	})
	return slices.Compact(list)
}

// TestTyped writes graphs with types and relations and reads them back, in one block and in several.
func TestTyped(t *testing.T) {
	for _, undirected := range []bool{false, true} {
		d := typed(t, undirected)
		for _, o := range []ondisk.Options{{}, {Rows: 7}} {
			dir := filepath.Join(t.TempDir(), "x.bloom")
			src, err := ondisk.Of(d)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ondisk.Build(dir, src, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ondisk.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			want := triples(d.Graph)
			if !slices.Equal(triples(got.Graph), want) || int(r.Edges) != len(want) || r.Loops == 0 || r.Repeats == 0 ||
				got.Graph.Undirected() != undirected || got.Graph.NumRelations() != 3 {
				t.Errorf("%+v: %d edges, want %d; %+v", o, got.Graph.NumEdges(), len(want), r)
			}
			if !slices.Equal(got.Graph.NodeTypes(), d.Graph.NodeTypes()) || !slices.Equal(got.Types, d.Types) ||
				!slices.Equal(got.Relations, d.Relations) || !slices.Equal(got.Labels.Class, d.Labels.Class) ||
				!slices.Equal(got.Splits[0].Test, d.Splits[0].Test) {
				t.Errorf("%+v: %v, %v", o, got.Types, got.Relations)
			}
			for c := range d.Features {
				if !slices.Equal(got.Features[c].Values, d.Features[c].Values) {
					t.Errorf("%+v: features of %s differ", o, d.Types[c])
				}
			}
		}
	}
}

// TestTypedOrder renumbers nodes, and wants the same graph under their ids.
func TestTypedOrder(t *testing.T) {
	d := typed(t, false)
	src, err := ondisk.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{Order: "degree", Rows: 40}); err != nil {
		t.Fatal(err)
	}
	reordered(t, dir, d)
}

// reordered compares a folder with d, whose nodes it numbers otherwise: ids are the numbers in d.
func reordered(t *testing.T, dir string, d *dataset.Dataset) {
	t.Helper()
	got, err := ondisk.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	old := make([]int32, d.Graph.NumNodes())
	for v := range old {
		n, err := strconv.Atoi(got.IDs.At(int32(v)))
		if err != nil {
			t.Fatal(err)
		}
		old[v] = int32(n)
	}
	moved := slices.Clone(got.Graph.Triples())
	for i, x := range moved {
		moved[i].U, moved[i].V = old[x.U], old[x.V]
	}
	back, err := graph.Build(graph.Spec{Nodes: len(old), Relations: 3, Triples: moved})
	if err != nil || !slices.Equal(triples(back), triples(d.Graph)) || slices.IsSorted(old) {
		t.Errorf("other edges, or the old order: %v", err)
	}
	place := make([]int, 3)
	for v, was := range old {
		kind := got.Graph.NodeTypes()[v]
		if kind != d.Graph.NodeTypes()[was] || got.Labels.Class[v] != d.Labels.Class[was] {
			t.Fatalf("node %d is of another type or class than %d was", v, was)
		}
		if cols := d.Features[kind].Cols; cols > 0 {
			at, _ := slices.BinarySearch(d.Graph.NodesOfType(kind), was)
			row := got.Features[kind].Values[place[kind]*cols : (place[kind]+1)*cols]
			if !slices.Equal(row, d.Features[kind].Values[at*cols:(at+1)*cols]) {
				t.Fatalf("node %d has other features than %d had", v, was)
			}
		}
		place[kind]++
	}
}

// TestTypedRefused wants errors for what was changed.
func TestTypedRefused(t *testing.T) {
	src, err := ondisk.Of(typed(t, false))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"relations.bin", "types.bin"} {
		path := filepath.Join(dir, name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		now := slices.Clone(was)
		now[4] ^= 1
		if err := os.WriteFile(path, now, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ondisk.Read(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s was changed: %v", name, err)
		}
		if err := os.WriteFile(path, was, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
