package importer

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

const (
	traders = "id,age,kind\na,1,x\nb,2,y\nc,3,x\nd,4,y\n"
	trades  = "source,target,amount,how,note,paid\na,b,10,card,gift,2020-01-01\nb,a,99,cash,again,2020-01-02\n" +
		"b,c,30,cash,,2020-01-03\nc,d,,card,loan,2020-01-04\nx,d,5,card,,2020-01-05\nd,a,20,NA,rent,2020-01-06\n"
)

func market(t *testing.T, kinds map[string]string) (*dataset.Dataset, *Report, error) {
	t.Helper()
	dir := tables(t, map[string]string{"n.csv": traders, "e.csv": trades})
	return Run(t.Context(), Spec{Name: "market", Nodes: []Input{{Table: filepath.Join(dir, "n.csv")}},
		Edges: []Input{{Table: filepath.Join(dir, "e.csv")}}, Label: "kind", Kinds: kinds,
		Split: Split{Ratio: [3]float64{0.5, 0.5, 0}}, Columns: []string{}})
}

// Numbers and categories of edges are features: scaled, one of a kind, 0 where they are missing, those of the first row
// where an edge is there twice.
func TestEdgeFeatures(t *testing.T) {
	d, report, err := market(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := 20.0, math.Sqrt(200.0/3) // of 10, 30 and 20
	z := func(x float64) mat.Real { return mat.Real((x - mean) / sd) }
	want := graph.Features{Cols: 3, Values: []mat.Real{z(10), 1, 0, z(30), 0, 1, 0, 1, 0, 0, 0, 0}}
	if f := d.Graph.Features(); f.Cols != want.Cols || !slices.Equal(f.Values, want.Values) {
		t.Errorf("%+v, want %+v", f, want)
	}
	table := report.Edges[0]
	if len(table.Columns) != 2 || table.Columns[0].Name != "amount" || table.Columns[1].Kind != "category" ||
		len(table.Roles) != 4 || report.Missing != 2 || report.Rejected != 1 || report.Duplicates != 1 {
		t.Errorf("%+v", report)
	}
}

func TestEdgeKinds(t *testing.T) {
	d, _, err := market(t, map[string]string{"amount": "skipped"})
	if err != nil || d.Graph.Features().Cols != 2 {
		t.Fatalf("%v, %+v", err, d.Graph.Features())
	}
	whole, _, err := market(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	changes := whole.Fingerprint().Changes(d.Fingerprint())
	if want := []string{"other edges", `no column "edges/amount"`}; !slices.Equal(changes, want) {
		t.Errorf("%q, want %q", changes, want)
	}
	for kinds, want := range map[[2]string]string{{"how", "number"}: `"how" cannot be "number"`,
		{"colour", "number"}: `no column "colour"`} {
		_, _, err := market(t, map[string]string{kinds[0]: kinds[1]})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", kinds, err, want)
		}
	}
}

// The edges of new nodes have features by the transforms of the import; what these never saw is noted.
func TestNewEdgeFeatures(t *testing.T) {
	d, _, err := market(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := tables(t, map[string]string{"nodes.csv": "id,age\ne,3\n",
		"edges.csv": "source,target,how,amount\ne,a,cash,30\ne,b,wire,\n"})
	plain := *d // as of a run without data.edge_features
	if plain.Graph, err = d.Graph.WithEdges(d.Graph.Weights(), graph.Features{}); err != nil {
		t.Fatal(err)
	}
	n, _, err := Newcomers(t.Context(), d, late(dir))
	if err != nil {
		t.Fatal(err)
	}
	same, _, err := Newcomers(t.Context(), &plain, late(dir))
	if err != nil || !slices.Equal(same.Told.Values, n.Told.Values) {
		t.Errorf("a run that does not use features of edges reads %+v, %v; want %+v", same.Told, err, n.Told)
	}
	want := append(slices.Clone(d.Graph.Features().Values[3:6]), 0, 0, 0)
	if !slices.Equal(n.Told.Values, want) || len(n.Notes) != 1 || !strings.Contains(n.Notes[0], `"wire"`) {
		t.Errorf("%+v, notes %q, want %v", n.Told, n.Notes, want)
	}
	joined, err := n.Join(d)
	if err != nil {
		t.Fatal(err)
	}
	if f := joined.Graph.Features(); !slices.Equal(f.Values, append(slices.Clone(d.Graph.Features().Values), want...)) {
		t.Errorf("joined %+v", f)
	}
	other := *d.Schema
	fitted := *d.Schema.Edges
	fitted.Columns = slices.Clone(fitted.Columns)
	fitted.Columns[0].Mean = 0
	other.Edges = &fitted
	encoded, err := Encode(d, &other)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := encoded.Graph.Features().Values[0], mat.Real(10/math.Sqrt(200.0/3)); got != want {
		t.Errorf("%v by other transforms, want %v", got, want)
	}
}
