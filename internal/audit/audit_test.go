package audit

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
)

// made is a generated graph of communities.
func made(t *testing.T, ref string) Data {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	return Data{Graph: d.Graph, Rows: d.Features[0], Class: d.Labels.Class, Classes: len(d.Labels.Names)}
}

const communities = "csbm:nodes=600,degree=8,homophily=0.9,seed=3"

// TestFindsPlantedFaults: with a tenth of faults, the first tenth of a ranking has far more than by chance; their share
// is known too. The bounds are what was measured, less a third.
func TestFindsPlantedFaults(t *testing.T) {
	d := made(t, "csbm:nodes=600,classes=4,degree=8,homophily=0.9,signal=4,seed=3")
	for fault, least := range map[string]float64{Flipped: 0.6, swapped: 0.4, gaussian: 0.4, RandomEdges: 0.3} {
		spoilt, bad, err := Plant(d, fault, 0.1, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Judge(spoilt, fault, bad, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", fault, got)
		if got.Precision < least {
			t.Errorf("%s: precision %.3f, want %.2f", fault, got.Precision, least)
		}
		if share := got.Share; share < 0.03 || share > 0.25 { // a tenth of the edges is random without ours
			t.Errorf("%s: share %.3f, want 0.1", fault, share)
		}
	}
}

// TestCleanData: where nothing is planted, little is found.
func TestCleanData(t *testing.T) {
	d := made(t, communities)
	r, err := Run(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// the generator gives a tenth of the edges to other communities, and features overlap
	if r.RowShare.Wrong > 0.05 || r.LabelShare.Wrong > 0.05 {
		t.Errorf("shares %v of rows, %v of labels, %v of edges", r.RowShare, r.LabelShare, r.EdgeShare)
	}
	if len(r.Rows) != 600 || len(r.Labels) != 600 || len(r.Edges) != d.Graph.NumEdges() {
		t.Errorf("%d rows, %d labels, %d edges", len(r.Rows), len(r.Labels), len(r.Edges))
	}
	for _, x := range r.Labels {
		if !(x.Probability >= 0 && x.Probability <= 1) || math.IsNaN(x.Odds) {
			t.Fatalf("label %+v", x)
		}
	}
}

// TestSpikes: a number that is ten times too large is found, and its column is blamed.
func TestSpikes(t *testing.T) {
	d := made(t, communities)
	d.Rows.Values = slices.Clone(d.Rows.Values)
	scale := newColumns(d.Rows, slices.Repeat([]bool{true}, d.Rows.Rows))
	bad := make([]bool, 600)
	for k := range 12 {
		v, j := 50*k+7, k%d.Rows.Cols
		bad[v], d.Rows.Values[v*d.Rows.Cols+j] = true, mat.Real(scale.mean[j]+12*scale.sd[j])
	}
	r, err := Run(d, Options{NoLabels: true, NoEdges: true})
	if err != nil {
		t.Fatal(err)
	}
	found, blamed := 0, 0
	for _, x := range r.Rows[:12] {
		if bad[x.Node] {
			found++
			if x.Columns[0].Column == int(x.Node)/50%d.Rows.Cols {
				blamed++
			}
		}
	}
	if found < 10 || blamed < found-1 {
		t.Errorf("%d of 12 are found, of %d the column is blamed", found, blamed)
	}
}

// TestAnyData: classes, features or both may be missing, few may be known, graphs may be tiny.
func TestAnyData(t *testing.T) {
	d := made(t, "csbm:nodes=64,degree=6,homophily=0.9,seed=3")
	few := slices.Clone(d.Class)
	for v := range few {
		if v%8 != 0 {
			few[v] = -1
		}
	}
	edges := d.Graph.NumEdges()
	unknown := slices.Repeat([]int32{-1}, 64)
	three := dataset.Matrix{Rows: 3, Cols: 1, Values: []mat.Real{1, 2, 9}}
	lonely, err := graph.Build(graph.Spec{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		Data
		rows, labels, edges int
	}{
		"no classes":  {Data{Graph: d.Graph, Rows: d.Rows}, 64, 0, edges},
		"no features": {Data{Graph: d.Graph, Class: d.Class, Classes: d.Classes}, 0, 64, edges},
		"only edges":  {Data{Graph: d.Graph}, 0, 0, edges},
		"few classes": {Data{Graph: d.Graph, Rows: d.Rows, Class: few, Classes: d.Classes}, 64, 8, edges},
		"none known":  {Data{Graph: d.Graph, Rows: d.Rows, Class: unknown, Classes: 2}, 64, 0, edges},
		"tiny":        {Data{Graph: lonely, Rows: three}, 3, 0, 0},
		"two types":   {Data{Graph: d.Graph, Rows: halfStored(64)}, 64, 0, edges},
	} {
		r, err := Run(c.Data, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(r.Rows) != c.rows || len(r.Labels) != c.labels || len(r.Edges) != c.edges {
			t.Errorf("%s: %d rows, %d labels, %d edges", name, len(r.Rows), len(r.Labels), len(r.Edges))
		}
		for _, e := range r.Edges {
			if math.IsNaN(e.Odds) {
				t.Fatalf("%s: edge %+v", name, e)
			}
		}
	}
}

// halfStored is a matrix of two columns, of which even rows have the first and odd ones the second, as those of two
// node types are.
func halfStored(rows int) dataset.Matrix {
	x := dataset.Matrix{Rows: rows, Cols: 2, Ptr: []int64{0}}
	for i := range rows {
		x.Idx, x.Values = append(x.Idx, int32(i%2)), append(x.Values, mat.Real(1+i%7))
		x.Ptr = append(x.Ptr, int64(i+1))
	}
	return x
}

// TestSameBits: the number of threads does not show.
func TestSameBits(t *testing.T) {
	d := made(t, "csbm:nodes=80,degree=6,homophily=0.8,seed=1")
	before := mat.Threads()
	defer mat.SetThreads(before)
	var first *Report
	for _, threads := range []int{1, 3} {
		mat.SetThreads(threads)
		r, err := Run(d, Options{Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
			continue
		}
		same := func(a, b Verdict) bool { return a == b }
		for i := range r.Rows {
			if r.Rows[i].Node != first.Rows[i].Node || !same(r.Rows[i].Verdict, first.Rows[i].Verdict) {
				t.Fatalf("row %d: %+v and %+v", i, r.Rows[i], first.Rows[i])
			}
		}
		for i := range r.Edges {
			if r.Edges[i] != first.Edges[i] {
				t.Fatalf("edge %d: %+v and %+v", i, r.Edges[i], first.Edges[i])
			}
		}
	}
}

// TestWrongSizes: what does not fit is an error.
func TestWrongSizes(t *testing.T) {
	d := made(t, communities)
	short, wild := d, d
	short.Class = d.Class[:5]
	wild.Classes = 1
	for _, c := range []Data{short, wild} {
		if _, err := Run(c, Options{}); err == nil {
			t.Errorf("%d classes of %d: no error", len(c.Class), c.Classes)
		}
	}
}
