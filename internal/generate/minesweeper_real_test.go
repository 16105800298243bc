package generate

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/testkit"
)

// published is the file of the benchmark.
func published(t *testing.T) *dataset.Dataset {
	t.Helper()
	d, err := format.Open(testkit.Benchmark(t, "heterophilous/minesweeper.npz"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMinesweeperFile compares the generator with the published file: the same grid, and the rule
// of features applied to the mines and hidden cells of the file gives its features.
func TestMinesweeperFile(t *testing.T) {
	file, made := published(t), generated(t, "minesweeper")
	a, b := audit.Describe(file), audit.Describe(made)
	if a.Nodes != b.Nodes || a.Edges != b.Edges || a.Features != b.Features || a.Degrees.Mean != b.Degrees.Mean ||
		!slices.Equal(a.Degrees.Histogram, b.Degrees.Histogram) || !slices.Equal(a.Splits, b.Splits) {
		t.Errorf("file %+v\nmade %+v", a, b)
	}
	for v := range a.Nodes {
		if !slices.Equal(around(file.Graph, v), around(made.Graph, v)) {
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
