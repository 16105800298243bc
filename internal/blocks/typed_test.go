package blocks_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/blocks"
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
				row[j] = mat.Real(r.NormFloat64())
			}
			d.Features[kind].AppendRow(row)
		}
		class := int32(-1)
		if kind == 0 {
			class = v % 2
			blocks.Part(1+r.IntN(3)).Of(&d.Splits[0], v)
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
		for _, o := range []blocks.Options{{}, {Rows: 7}} {
			dir := filepath.Join(t.TempDir(), "x.bloom")
			src, err := blocks.Of(d)
			if err != nil {
				t.Fatal(err)
			}
			r, err := blocks.Build(dir, src, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := blocks.Read(dir)
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

// TestTypedRefused wants errors for what cannot be, or was changed.
func TestTypedRefused(t *testing.T) {
	src, err := blocks.Of(typed(t, false))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := blocks.Build(dir, src, blocks.Options{Order: "ldg"}); err == nil ||
		!strings.Contains(err.Error(), "keeps its order") {
		t.Error(err)
	}
	if _, err := blocks.Build(dir, src, blocks.Options{}); err != nil {
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
		if _, err := blocks.Read(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s was changed: %v", name, err)
		}
		if err := os.WriteFile(path, was, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
