package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// A fingerprint says what has changed since it was taken.
func ExampleFingerprint_Changes() {
	g, _ := graph.Build(graph.Spec{Nodes: 2, Relations: 1})
	d := dataset.Dataset{Graph: g, Labels: dataset.Labels{Class: []int32{0, 1}, Names: []string{"no", "yes"}}}
	was := d.Fingerprint()
	d.Labels.Class[1] = 0
	is := d.Fingerprint()
	fmt.Println(was.Changes(is), was.Unfit(is))
	// Output: [other labels] []
}

// TestChanges: every part of a set that decides what is trained on it changes its fingerprint, in words that name it.
func TestChanges(t *testing.T) {
	column := func(name, kind string, mean float64) dataset.Column {
		return dataset.Column{Name: name, Kind: kind, Mean: mean, SD: 1, Levels: []string{"x"}}
	}
	schema := func(columns ...dataset.Column) *dataset.Schema {
		return &dataset.Schema{Types: []dataset.TypeSchema{{Columns: columns}}}
	}
	build := func(edges ...graph.Triple) *graph.Graph {
		g, err := graph.Build(graph.Spec{Nodes: 3, Relations: 1, Triples: edges})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	age := column("age", dataset.Number, 2)
	was := dataset.Dataset{Graph: build(graph.Triple{U: 0, V: 1}), IDs: dataset.NewIDs([]string{"a", "b", "c"}),
		Features: []dataset.Matrix{{Rows: 3, Cols: 1, Values: []mat.Real{1, 2, 3}}}, Schema: schema(age),
		Labels: dataset.Labels{Class: []int32{0, 1, 0}, Names: []string{"no", "yes"}},
		Splits: []dataset.Split{{Train: []int32{0}, Valid: []int32{1}, Test: []int32{2}}}}
	for _, x := range []struct {
		want   string
		change func(*dataset.Dataset)
	}{
		{"", func(*dataset.Dataset) {}},
		{"other nodes", func(d *dataset.Dataset) { d.IDs = dataset.NewIDs([]string{"ab", "", "c"}) }},
		{"other edges", func(d *dataset.Dataset) { d.Graph = build(graph.Triple{U: 1, V: 0}) }},
		{"0 edges (1 before)", func(d *dataset.Dataset) { d.Graph = build() }},
		{"different values in the same columns", func(d *dataset.Dataset) {
			d.Features = []dataset.Matrix{{Rows: 3, Cols: 1, Values: []mat.Real{1, 2, 4}}}
		}},
		{`column "age" was fitted again`, func(d *dataset.Dataset) { d.Schema = schema(column("age", dataset.Number, 3)) }},
		{`column "age" is a category (a number before)`, func(d *dataset.Dataset) {
			d.Schema = schema(column("age", dataset.Category, 2))
		}},
		{`a new column "sex"`, func(d *dataset.Dataset) { d.Schema = schema(age, column("sex", dataset.Number, 0)) }},
		{`no column "age"`, func(d *dataset.Dataset) { d.Schema = schema() }},
		{"other labels", func(d *dataset.Dataset) { d.Labels.Class = []int32{0, 1, 1} }},
		{"other labels", func(d *dataset.Dataset) { d.Labels.Task = dataset.Sets }},
		{`a new class "maybe"`, func(d *dataset.Dataset) { d.Labels.Names = []string{"no", "yes", "maybe"} }},
		{"another split", func(d *dataset.Dataset) { d.Splits = nil }},
		{"another split", func(d *dataset.Dataset) { d.Times = []int64{1, 2, 3} }},
		{"other validation or test facts", func(d *dataset.Dataset) { d.Test = []graph.Triple{{U: 1, V: 2}} }},
		{"another graph to test on", func(d *dataset.Dataset) { d.Twin = &dataset.Dataset{Graph: build()} }},
	} {
		now := was
		x.change(&now)
		unfit := strings.Contains(x.want, "column \"") && !strings.Contains(x.want, "fitted again") ||
			strings.Contains(x.want, "class")
		if got := was.Fingerprint().Unfit(now.Fingerprint()); len(got) > 0 != unfit {
			t.Errorf("%s: unfit for %q", x.want, got)
		}
		if got := strings.Join(was.Fingerprint().Changes(now.Fingerprint()), ", "); got != x.want {
			t.Errorf("changes are %q, want %q", got, x.want)
		}
	}
}
