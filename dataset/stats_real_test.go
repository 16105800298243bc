package dataset

import (
	"math"
	"slices"
	"testing"
)

// TestPublishedHomophily compares with what the literature prints, two digits: Platonov et al.
// 2023, "A critical look at the evaluation of GNNs under heterophily", table 1, for the first two,
// and Platonov et al. 2022, "Characterizing graph datasets for node classification", for the rest.
func TestPublishedHomophily(t *testing.T) {
	if testing.Short() {
		t.Skip("reads several benchmark sets")
	}
	for _, c := range []struct {
		path                      string
		adjusted, informativeness float64
	}{
		{"heterophilous/minesweeper.npz", 0.01, 0.00},
		{"heterophilous/tolokers.npz", 0.09, 0.01},
		{"heterophilous/actor.npz", 0.00, 0.00},
		{"planetoid/ind.cora.graph", 0.77, 0.59},
		{"planetoid/ind.citeseer.graph", 0.67, 0.45},
		{"planetoid/ind.pubmed.graph", 0.69, 0.41},
	} {
		t.Run(c.path, func(t *testing.T) {
			h := Describe(openBenchmark(t, c.path)).Homophily
			if math.Abs(h.Adjusted-c.adjusted) > 0.005+1e-9 || math.Abs(h.Informativeness-c.informativeness) > 0.005+1e-9 {
				t.Errorf("adjusted homophily %.4f, label informativeness %.4f, published %v and %v", h.Adjusted, h.Informativeness, c.adjusted, c.informativeness)
			}
		})
	}
}

// TestMinesweeperFile compares the generator with the published file: the same grid, and the rule
// of features applied to the mines and hidden cells of the file gives its features.
func TestMinesweeperFile(t *testing.T) {
	file, made := openBenchmark(t, "heterophilous/minesweeper.npz"), generated(t, "minesweeper")
	a, b := Describe(file), Describe(made)
	if a.Nodes != b.Nodes || a.Edges != b.Edges || a.Features != b.Features || a.Degrees.Mean != b.Degrees.Mean ||
		!slices.Equal(a.Degrees.Histogram, b.Degrees.Histogram) || !slices.Equal(a.Splits, b.Splits) {
		t.Errorf("file %+v\nmade %+v", a, b)
	}
	for v := range a.Nodes {
		if !slices.Equal(neighbours(nil, file.Graph, v), neighbours(nil, made.Graph, v)) {
			t.Fatalf("cell %d has other neighbours in the file", v)
		}
	}
	for c := range a.ClassSizes {
		if a.ClassSizes[c].Nodes != b.ClassSizes[c].Nodes {
			t.Errorf("classes %v and %v", a.ClassSizes, b.ClassSizes)
		}
	}
	sums := columnSums(file.Features[0])
	if !slices.Equal(sums, publishedColumns) {
		t.Errorf("the columns of the file hold %v", sums)
	}
	sameColumns(t, columnSums(made.Features[0]), sums)
	hidden := make([]bool, a.Nodes)
	for v := range hidden {
		hidden[v] = file.Features[0].Values[v*7] == 1
	}
	if x := minesAround(file.Graph, file.Labels.Class, hidden); !slices.Equal(x.Values, file.Features[0].Values) {
		t.Error("the rule does not give the features of the file")
	}
	// Both are random graphs of labels, whose adjusted homophily deviates by 0.004.
	if math.Abs(a.Homophily.Adjusted-b.Homophily.Adjusted) > 0.02 {
		t.Errorf("adjusted homophily %v and %v", a.Homophily.Adjusted, b.Homophily.Adjusted)
	}
}

// TestPublishedLeaks finds what is known about benchmark sets: a third of the test of WN18RR are
// symmetric facts turned round, and WN18RR_v3 shares 8 entities with its twin.
func TestPublishedLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the largest knowledge graphs")
	}
	wn := kinds(openBenchmark(t, "kg/WN18RR"))
	if len(wn) != 2 || wn[InverseTriples] != 1086 || wn[UnseenEntities] != 210 {
		t.Errorf("WN18RR: %v", wn)
	}
	if fb := kinds(openBenchmark(t, "kg/FB15k-237")); len(fb) != 1 || fb[UnseenEntities] != 28 {
		t.Errorf("FB15k-237: %v", fb)
	}
	if v3 := kinds(openBenchmark(t, "grail/WN18RR_v3")); v3[SharedEntities] != 8 {
		t.Errorf("WN18RR_v3: %v", v3)
	}
}

// TestScalePlanetoid wants the row sums of the literature: 1, but 0 for the nodes of Citeseer
// without features; and the corrupted sets of the paper's sizes.
func TestScalePlanetoid(t *testing.T) {
	if testing.Short() {
		t.Skip("reads several benchmark sets")
	}
	for name, want := range map[string]struct{ zero, corrupted int }{"cora": {0, 541}, "citeseer": {15, 665}, "pubmed": {0, 3943}} {
		raw := openBenchmark(t, "planetoid/ind."+name+".graph")
		d, err := Scale(raw, ScaleAuto)
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
		c, err := Corrupt(d, Corruption{Rows: 0.2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if zero != want.zero || len(c.Corrupted) != want.corrupted || !c.Features[0].IsSparse() {
			t.Errorf("%s: %d rows without features, %d corrupted", name, zero, len(c.Corrupted))
		}
	}
}
