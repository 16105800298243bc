package format

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/testkit"
)

// skipLarge leaves the large sets out of short runs, which repeat the tests under slower builds.
func skipLarge(t *testing.T, name string) {
	t.Helper()
	if testing.Short() && slices.Contains([]string{"pubmed", "tolokers", "actor", "squirrel_filtered"}, name) {
		t.Skip("a large set, in a short run")
	}
}

// nodeCounts are the figures by which the published tables describe a graph with classes.
type nodeCounts struct {
	nodes, edges, isolated, features, nonzeros int
	sparse                                     bool
	classes                                    string // their sizes
	unlabelled                                 int
	metric                                     string
}

// countNodes describes d, of whose types only the first has features and classes.
func countNodes(d *dataset.Dataset) nodeCounts {
	s := d.Graph.Stats()
	sizes := make([]int, len(d.Labels.Names))
	unlabelled := 0
	for _, c := range d.Labels.Class {
		if c < 0 {
			unlabelled++
		} else {
			sizes[c]++
		}
	}
	x := d.Features[0]
	return nodeCounts{s.Nodes, s.Edges, s.Isolated, x.Cols, x.Nonzeros(), x.IsSparse(), fmt.Sprint(sizes),
		unlabelled, d.Metric}
}

// sizesOf are the numbers of nodes in the parts of a split.
func sizesOf(s dataset.Split) [3]int { return [3]int{len(s.Train), len(s.Valid), len(s.Test)} }

// checkSplitSizes wants every split of d to have these sizes.
func checkSplitSizes(t *testing.T, splits []dataset.Split, count int, want [3]int) {
	t.Helper()
	if len(splits) != count {
		t.Errorf("%d splits, want %d", len(splits), count)
	}
	for i, s := range splits {
		if sizesOf(s) != want {
			t.Errorf("split %d has %v nodes, want %v", i, sizesOf(s), want)
		}
	}
}

func TestPlanetoidData(t *testing.T) {
	for _, c := range []struct {
		name, part string
		want       nodeCounts
		split      [3]int
		notes      []string
	}{
		{"cora", "x", nodeCounts{2708, 5278, 0, 1433, 49216, true, "[351 217 418 818 426 298 180]", 0, "accuracy"},
			[3]int{140, 500, 1000},
			[]string{"Of 10858 listed neighbours 0 are self loops and 302 are duplicates; both were dropped."}},
		{"citeseer", "graph", nodeCounts{3327, 4552, 48, 3703, 105165, true, "[249 590 668 701 596 508]", 15,
			"accuracy"}, [3]int{120, 500, 1000},
			[]string{"Of 9464 listed neighbours 248 are self loops and 236 are duplicates; both were dropped.",
				"15 nodes have neither features nor a class, and are in no split."}},
		{"pubmed", "test.index", nodeCounts{19717, 44324, 0, 500, 988031, true, "[4103 7739 7875]", 0, "accuracy"},
			[3]int{60, 500, 1000},
			[]string{"Of 88676 listed neighbours 6 are self loops and 25 are duplicates; both were dropped."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			skipLarge(t, c.name)
			d := openBenchmark(t, "planetoid/ind."+c.name+"."+c.part)
			if got := countNodes(d); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if d.Name != c.name || !slices.Equal(d.Notes, c.notes) {
				t.Errorf("name %q, notes %q, want %q", d.Name, d.Notes, c.notes)
			}
			checkSplitSizes(t, d.Splits, 1, c.split)
			if s := d.Splits[0]; s.Train[0] != 0 || s.Valid[0] != int32(c.split[0]) ||
				int(s.Test[999]) != c.want.nodes-1 {
				t.Errorf("the split begins with %d, %d and ends with %d", s.Train[0], s.Valid[0], s.Test[999])
			}
			if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPlanetoidValues looks at numbers themselves: the nodes of Citeseer that have nothing, and the
// range of Pubmed's features.
func TestPlanetoidValues(t *testing.T) {
	d := openBenchmark(t, "planetoid/ind.citeseer.x")
	for _, v := range []int32{2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063, 3212, 3214, 3250, 3292, 3305,
		3306, 3309} {
		x := d.Features[0]
		if d.Labels.Class[v] != -1 || x.Ptr[v] != x.Ptr[v+1] {
			t.Errorf("node %d has class %d and %d features", v, d.Labels.Class[v], x.Ptr[v+1]-x.Ptr[v])
		}
	}
	if d.Features[0].Values != nil {
		t.Error("features that are all 1 have values")
	}
	skipLarge(t, "pubmed")
	pubmed := openBenchmark(t, "planetoid/ind.pubmed.x").Features[0]
	for _, c := range []struct {
		rows [2]int
		want string // to the digits of the table, which speaks of allx
	}{{[2]int{0, 18717}, "0.00125 1.0884"}, {[2]int{18717, 19717}, "0.00197 1.2633"}} {
		x := pubmed.Values[pubmed.Ptr[c.rows[0]]:pubmed.Ptr[c.rows[1]]]
		if got := fmt.Sprintf("%.5f %.4f", slices.Min(x), slices.Max(x)); got != c.want {
			t.Errorf("features of rows %v go from %s, want %s", c.rows, got, c.want)
		}
	}
}

// TestPlanetoidFolder names a folder of three sets, which is not enough.
func TestPlanetoidFolder(t *testing.T) {
	wantError(t, testkit.Benchmark(t, "planetoid"), "holds 3 sets (citeseer, cora, pubmed): name one of their files")
}

func TestHeterophilousData(t *testing.T) {
	for _, c := range []struct {
		name  string
		want  nodeCounts
		split [3]int
	}{
		{"minesweeper", nodeCounts{10000, 39402, 0, 7, 70000, false, "[8000 2000]", 0, "roc_auc"},
			[3]int{5000, 2500, 2500}},
		{"tolokers", nodeCounts{11758, 519000, 0, 10, 117580, false, "[9192 2566]", 0, "roc_auc"},
			[3]int{5879, 2939, 2940}},
		{"actor", nodeCounts{7600, 26659, 0, 932, 0, true, "", 0, "accuracy"}, [3]int{3648, 2432, 1520}},
		{"squirrel_filtered", nodeCounts{2223, 46998, 0, 2089, 0, true, "", 0, "accuracy"}, [3]int{1053, 718, 452}},
	} {
		t.Run(c.name, func(t *testing.T) {
			skipLarge(t, c.name)
			d := openBenchmark(t, "heterophilous/"+c.name+".npz")
			got := countNodes(d)
			if c.want.sparse { // the table has neither their nonzeros nor the sizes of their classes
				if got.nonzeros == 0 || len(d.Labels.Names) != 5 {
					t.Errorf("%d nonzeros, classes %v", got.nonzeros, d.Labels.Names)
				}
				c.want.nonzeros, c.want.classes = got.nonzeros, got.classes
			}
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if len(d.Splits) != 10 || sizesOf(d.Splits[0]) != c.split || d.Notes != nil {
				t.Errorf("%d splits, the first of %v; notes %q", len(d.Splits), sizesOf(d.Splits[0]), d.Notes)
			}
			if !c.want.sparse {
				checkSplitSizes(t, d.Splits, 10, c.split)
			}
			if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHecoData(t *testing.T) {
	for _, c := range []struct {
		name      string
		want      nodeCounts
		types     []string
		sizes     []int
		relations []string
		edges     []int
		perClass  []int
	}{
		{"acm", nodeCounts{11246, 17426, 0, 1902, 340377, true, "[1993 965 1061]", 7227, "accuracy"},
			[]string{"p", "a", "s"}, []int{4019, 7167, 60}, []string{"pa", "ps"}, []int{13407, 4019},
			[]int{60, 120, 180}},
		{"dblp", nodeCounts{26128, 119783, 0, 334, 48810, true, "[1197 745 1109 1006]", 22071, "accuracy"},
			[]string{"a", "p", "c", "t"}, []int{4057, 14328, 20, 7723}, []string{"pa", "pc", "pt"},
			[]int{19645, 14328, 85810}, []int{80, 160, 240}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openBenchmark(t, "heco/"+c.name)
			if got := countNodes(d); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if !slices.Equal(d.Types, c.types) || !slices.Equal(d.Relations, c.relations) || d.Graph.Undirected() ||
				d.Notes != nil {
				t.Errorf("types %q, relations %q, undirected %v, notes %q", d.Types, d.Relations,
					d.Graph.Undirected(), d.Notes)
			}
			for k, n := range c.sizes {
				if got := d.Graph.NodesOfType(int32(k)); len(got) != n || d.IDs.At(got[n-1]) != fmt.Sprint(n-1) {
					t.Errorf("%d nodes of type %s, the last is %s; want %d", len(got), c.types[k],
						d.IDs.At(got[len(got)-1]), n)
				}
			}
			for r, n := range c.edges {
				if got := len(d.Graph.RelationEdges(int32(r))); got != n {
					t.Errorf("%d edges of relation %s, want %d", got, c.relations[r], n)
				}
			}
			for i, n := range c.perClass {
				if got := sizesOf(d.Splits[i]); got != [3]int{n, 1000, 1000} || len(d.Splits) != 3 {
					t.Errorf("split %d of %d has %v nodes, want %d, 1000, 1000", i, len(d.Splits), got, n)
				}
			}
			if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkPubmed opens all eight files.
func BenchmarkPubmed(b *testing.B) {
	path := testkit.Benchmark(b, "planetoid/ind.pubmed.x")
	for b.Loop() {
		if _, err := Open(path); err != nil {
			b.Fatal(err)
		}
	}
}

// TestScalePlanetoid wants the row sums of the literature: 1, but 0 for the nodes of Citeseer
// without features; and the corrupted sets of the paper's sizes.
func TestScalePlanetoid(t *testing.T) {
	if testing.Short() {
		t.Skip("reads several benchmark sets")
	}
	for name, want := range map[string]struct{ zero, corrupted int }{"cora": {0, 541}, "citeseer": {15, 665},
		"pubmed": {0, 3943}} {
		raw := openBenchmark(t, "planetoid/ind."+name+".graph")
		d, err := build.Scale(raw, "auto", 0)
		if err != nil {
			t.Fatal(err)
		}
		zero, x := 0, d.Features[0]
		for i := range x.Rows {
			sum := 0.0
			for _, v := range x.Values[x.Ptr[i]:x.Ptr[i+1]] {
				sum += float64(v)
			}
			if sum == 0 {
				zero++
			} else if math.Abs(sum-1) > 1e-4 { // up to 500 roundings of float32
				t.Fatalf("%s: a row sums to %v", name, sum)
			}
		}
		c, err := build.Corrupt(d, build.Corruption{Rows: 0.2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if zero != want.zero || len(c.Corrupted) != want.corrupted || !c.Features[0].IsSparse() {
			t.Errorf("%s: %d rows without features, %d corrupted", name, zero, len(c.Corrupted))
		}
	}
}
