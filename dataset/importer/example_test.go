package importer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// write makes a table in a folder and returns its path.
func write(dir, name, text string) string {
	name = filepath.Join(dir, name)
	must(os.WriteFile(name, []byte(text), 0o666))
	return name
}

// Two tables become a data set that keeps their ids; a row that cannot be used is counted and its reason kept.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	people := write(dir, "people.csv", "id,age,dept\nann,30,ops\nbob,41,dev\ncat,,dev\n")
	follows := write(dir, "follows.csv", "from,to\nann,bob\nbob,cat\nzoe,ann\n")
	d, report, err := importer.Run(context.Background(), importer.Spec{
		Name: "team", Nodes: []importer.Input{{Table: people}}, Edges: []importer.Input{{Table: follows}},
		Label: "dept", Split: importer.Split{None: true},
	})
	must(err)
	fmt.Println(d.Graph.NumNodes(), "nodes,", d.Graph.NumEdges(), "edges,", d.Labels.Names, report.Rejected, "rejected")
	// Output: 3 nodes, 2 edges, [dev ops] 1 rejected
}

// A newer table gets its features by the transforms of an older one.
func ExampleEncode() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	load := func(people string) *dataset.Dataset {
		d, _, err := importer.Run(context.Background(), importer.Spec{
			Nodes: []importer.Input{{Table: write(dir, "people.csv", people)}},
			Edges: []importer.Input{{Table: write(dir, "follows.csv", "from,to\nann,bob\n")}}})
		must(err)
		return d
	}
	old := load("id,age\nann,30\nbob,40\n")
	now, err := importer.Encode(load("id,age\nann,30\nbob,40\ncat,50\n"), old.Schema)
	must(err)
	fmt.Println(old.Features[0].Values, now.Features[0].Values)
	// Output: [-1 1] [-1 1 3]
}

// How nodes are divided is said in a few words, by name and table where there are several.
func ExampleParseSplit() {
	s, err := importer.ParseSplit("train=0.5,valid=0.25,test=0.25")
	fmt.Println(s.Ratio, err)
	in := importer.ParseInput("user:likes:film=likes.csv")
	fmt.Println(in.Name, in.Table)
	// Output:
	// [0.5 0.25 0.25] <nil>
	// user:likes:film likes.csv
}

// An export is tables that an import makes the same data of.
func ExampleExport() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	follows := write(dir, "follows.csv", "from,to\nann,bob\nbob,cat\n")
	d, _, err := importer.Run(context.Background(), importer.Spec{Edges: []importer.Input{{Table: follows}}})
	must(err)
	spec, err := importer.Export(d, filepath.Join(dir, "out"), importer.ExportOptions{})
	must(err)
	again, _, err := importer.Run(context.Background(), spec)
	must(err)
	fmt.Println(again.Graph.NumNodes(), again.Graph.NumEdges())
	// Output: 3 2
}

// Rows that come after an import are encoded as its rows were.
func ExampleNewcomers() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	d, _, err := importer.Run(context.Background(), importer.Spec{
		Nodes: []importer.Input{{Table: write(dir, "people.csv", "id,age,dept\nann,30,ops\nbob,50,dev\n")}},
		Edges: []importer.Input{{Table: write(dir, "follows.csv", "from,to\nann,bob\n")}}, Label: "dept",
		Split: importer.Split{None: true},
	})
	must(err)
	late, report, err := importer.Newcomers(context.Background(), d, importer.Spec{
		Nodes: []importer.Input{{Table: write(dir, "late.csv", "id,age\nzoe,60\nann,30\n")}},
		Edges: []importer.Input{{Table: write(dir, "lates.csv", "from,to\nzoe,ann\n")}},
	})
	must(err)
	fmt.Println(late.IDs, late.Features[0].Values, late.Edges, report.Reasons)
	// Output: [zoe] [2 -1 1] [{2 0 0}] map[the id was there before:1]
}

// Facts about new entities, and a line that is not a fact.
func ExampleFacts() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	d := &dataset.Dataset{Relations: []string{"child_of"}}
	facts, report, err := importer.Facts(d, importer.Spec{
		Edges: []importer.Input{{Table: write(dir, "new.tsv", "Zoe\tchild_of\tAda\nZoe\tAda\n")}}})
	must(err)
	fmt.Println(facts, report.Rejected)
	// Output: [{Zoe child_of Ada}] 1
}

// Columns that are made from edges follow when an edge comes.
func ExampleNewStatistics() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	d, _, err := importer.Run(context.Background(), importer.Spec{
		Nodes: []importer.Input{{Table: write(dir, "people.csv", "id,dept\nann,ops\nbob,dev\ncat,dev\n")}},
		Edges: []importer.Input{{Table: write(dir, "paid.csv", "from,to,euro\nann,bob,5\nann,cat,7\nbob,cat,1\n")}},
		Label: "dept", Split: importer.Split{None: true}})
	must(err)
	s := importer.NewStatistics(d)
	values, missing, err := s.Read(map[string]string{"euro": "€30"})
	must(err)
	ann := append(s.Rows(0), importer.EdgeRow{Src: 0, Dst: 2, Values: values})
	fmt.Println(s.Columns(0, s.Rows(0))["paid.euro.sum.out"], s.Columns(0, ann)["paid.euro.sum.out"], missing)
	// Output: 12 42 []
}

// Nodes with times know what was known then; AsOf asks about them at another time.
func ExampleAsOf() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	d, _, err := importer.Run(context.Background(), importer.Spec{
		Nodes: []importer.Input{{Table: write(dir, "people.csv", "id,asked,dept\nann,2024-02-01,ops\n"+
			"bob,2024-03-01,dev\ncat,2024-04-01,dev\n")}},
		Edges: []importer.Input{{Table: write(dir, "paid.csv", "from,to,day,euro\nann,bob,2024-01-05,5\n"+
			"ann,cat,2024-02-02,7\nbob,cat,2024-03-05,1\nbob,ann,2024-03-09,1\n")}},
		Label: "dept", Times: []string{"asked", "day"}, Split: importer.Split{None: true}})
	must(err)
	at := slices.IndexFunc(d.Raw.Nodes[0], func(c dataset.RawColumn) bool { return c.Name == "paid.count.out" })
	fmt.Println(d.Raw.Nodes[0][at].Values.Text(0), d.Raw.Nodes[0][at].Values.Text(1))
	n, err := importer.AsOf(d, "2024-03-07")
	must(err)
	fmt.Println(n.IDs)
	// Output:
	// 1 0
	// [ann@2024-03-07 bob@2024-03-07]
}

// Values are read as people write them, once it is known what a column holds.
func ExampleFit() {
	raw := dataset.RawColumn{Name: "price"}
	for _, text := range []string{"€1.234,50", "7,10 €", "n/a", "12,00 €"} {
		raw.Values.Append([]byte(text))
	}
	c, err := importer.Fit(&raw)
	must(err)
	x, ok := importer.Number(&c, "1.000 €")
	fmt.Println(c.Kind, x, ok, importer.IsMissing("n/a"))
	at, ok := importer.Moment(&dataset.Column{Kind: dataset.Time}, "1 May 2024")
	fmt.Println(at.Format(time.DateOnly), ok)
	// Output:
	// number 1000 true true
	// 2024-05-01 true
}

// An export of Neo4j is a table for every label and every type of relationship.
func ExampleApoc() {
	dir, err := os.MkdirTemp("", "apoc")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "graph.csv")
	text := "_id,_labels,name,_start,_end,_type\n0,:Person,ann,,,\n1,:Person,bob,,,\n,,,0,1,KNOWS\n"
	must(os.WriteFile(path, []byte(text), 0o666))
	nodes, edges, ok, err := importer.Apoc(path)
	must(err)
	fmt.Println(ok, nodes[0].Name, edges[0].Name)
	// Output: true Person KNOWS
}
