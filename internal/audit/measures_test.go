package audit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// TestMeasures: a wrong number among many categories is found, and its column is blamed. Every fourth row has a gap,
// which is no mistake.
func TestMeasures(t *testing.T) {
	d := made(t, "csbm:nodes=800,classes=4,degree=8,homophily=0.9,seed=3")
	const numbers, levels = 3, 30
	rng := rand.New(rand.NewPCG(5, 5))
	x := dataset.Matrix{Rows: 800, Cols: numbers + levels, Values: make([]mat.Real, 800*(numbers+levels))}
	bad := make([]bool, 800)
	for v, class := range d.Class {
		row := x.Values[v*x.Cols:]
		for j := range numbers {
			row[j] = mat.Real(float64((int(class)+j)%4) - 1.4 + 0.3*rng.NormFloat64())
		}
		row[numbers+rng.IntN(levels)] = 1
		if v%4 == 0 {
			row[v/4%numbers] = 0
		}
		if v%40 == 7 {
			bad[v], row[v/40%numbers] = true, row[v/40%numbers]+5
		}
	}
	d.Rows = x
	r, err := Run(d, Options{NoLabels: true, NoEdges: true})
	if err != nil {
		t.Fatal(err)
	}
	found, blamed := 0, 0
	for _, f := range r.Rows[:20] {
		if bad[f.Node] {
			found++
			if f.Columns[0].Column == int(f.Node)/40%numbers {
				blamed++
			}
		}
	}
	if found < 18 || blamed < found-1 {
		t.Errorf("%d of 20 are found, of %d the column is blamed", found, blamed)
	}
}

// TestNumbersOfBags: yes and no, frequencies, and what few rows have, are not numbers.
func TestNumbersOfBags(t *testing.T) {
	x := dataset.Matrix{Rows: 4, Cols: 5, Values: []mat.Real{
		1, 0.5, 0, 3, 0.1,
		1, 0.7, 0, 0, 0.2,
		1, -0.9, 2, 0, 0.2,
		0, 0.1, 0, -2, 0}}
	if got := newColumns(x, slices.Repeat([]bool{true}, x.Rows)).numbers(); !slices.Equal(got, []int32{1}) {
		t.Errorf("columns %v, want 1", got)
	}
}
