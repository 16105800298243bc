package graph

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// told has two features an edge, which say where it stands among the triples.
func told(triples int) Features {
	f := Features{Cols: 2}
	for i := range triples {
		f.Values = append(f.Values, mat.Real(i+1), mat.Real(-i-1))
	}
	return f
}

// Every edge keeps its row, whatever is dropped, added, turned round or cut out; the row of an added loop is zeros.
func TestFeaturesFollowEdges(t *testing.T) {
	triples := []Triple{{0, 0, 1}, {1, 0, 2}, {0, 0, 1}, {2, 0, 2}, {1, 0, 0}, {3, 0, 4}, {4, 0, 1}}
	for _, undirected := range []bool{false, true} {
		for _, loops := range []Loops{KeepLoops, DropLoops, AddLoops} {
			given := told(len(triples))
			g := mustBuild(t, Spec{Nodes: 5, Triples: triples, Features: given, Undirected: undirected, Loops: loops,
				DropDuplicates: true})
			if g.NumEdges() == len(triples) || g.Features().Cols != 2 {
				t.Fatalf("%d edges, %d columns", g.NumEdges(), g.Features().Cols)
			}
			both, err := g.WithInverse()
			if err != nil {
				t.Fatal(err)
			}
			part, err := both.Induced([]int32{1, 2, 4})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Restore(g.Parts())
			if err != nil {
				t.Fatal(err)
			}
			for name, x := range map[string]*Graph{"built": g, "with inverses": both, "restored": again} {
				for e, at := range x.Origins() {
					want := []mat.Real{0, 0}
					if at >= 0 {
						want = given.row(at)
					}
					if got := x.Features().row(int32(e)); !slices.Equal(got, want) {
						t.Errorf("%s, edge %d from triple %d: %v, want %v", name, e, at, got, want)
					}
				}
			}
			rows := map[mat.Real]Triple{}
			for i, x := range triples {
				rows[mat.Real(i+1)] = x
			}
			nodes := []int32{1, 2, 4}
			for e := range int32(part.NumEdges()) {
				x, from := part.Edge(e), rows[part.Features().row(e)[0]]
				u, v := nodes[x.U], nodes[x.V]
				if part.Features().row(e)[0] != 0 && (u != from.U || v != from.V) && (u != from.V || v != from.U) {
					t.Errorf("edge %d–%d of a part has the row of %v", u, v, from)
				}
			}
		}
	}
}

func TestFeaturesRefused(t *testing.T) {
	for want, f := range map[string]Features{
		"features 3 numbers in 2 columns for 2 edges": {2, make([]mat.Real, 3)},
		"feature 1 NaN is not finite":                 {1, []mat.Real{0, mat.Real(math.NaN())}},
	} {
		spec := Spec{Nodes: 2, Triples: []Triple{{0, 0, 1}, {1, 0, 0}}}
		parts := mustBuild(t, spec).Parts()
		spec.Features, parts.Features = f, f
		_, err := Build(spec)
		_, restored := Restore(parts)
		for _, err := range []error{err, restored} {
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), ":", ""), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}
