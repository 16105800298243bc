package dataset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
)

// Two tables become a data set that keeps their ids; a row that cannot be used is counted and its reason kept.
func ExampleImport() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	people, follows := filepath.Join(dir, "people.csv"), filepath.Join(dir, "follows.csv")
	must(os.WriteFile(people, []byte("id,age,dept\nann,30,ops\nbob,41,dev\ncat,,dev\n"), 0o666))
	must(os.WriteFile(follows, []byte("from,to\nann,bob\nbob,cat\nzoe,ann\n"), 0o666))

	d, report, err := dataset.Import(context.Background(), dataset.ImportSpec{
		Name: "team", Nodes: []dataset.Input{{Table: people}}, Edges: []dataset.Input{{Table: follows}}, Label: "dept",
	})
	must(err)
	fmt.Println(d.Graph.NumNodes(), "nodes,", d.Graph.NumEdges(), "edges,", d.Labels.Names, report.Rejected, "rejected")
	// Output: 3 nodes, 2 edges, [dev ops] 1 rejected
}

// A reference is a name of the catalogue, a file, a folder, or a generator with its values.
func ExampleOpen() {
	karate, err := dataset.Open("karate")
	must(err)
	blocks, err := dataset.Open("csbm:nodes=100,classes=3")
	must(err)
	fmt.Println(karate.Graph.NumNodes(), karate.Graph.NumEdges(), blocks.Graph.NumNodes(), len(blocks.Labels.Names))
	_, err = dataset.Open("karat")
	fmt.Println(err)
	// Output:
	// 34 78 100 3
	// "karat" is no set of the catalogue, file, folder or generator; did you mean "karate"?
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
