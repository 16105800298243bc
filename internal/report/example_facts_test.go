package report_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
)

// The page of a run on a knowledge graph, and a comparison.
func ExampleOpenPlain() {
	root, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	dir := filepath.Join(root, "kin")
	c, err := config.Load(config.Options{Recipe: "distmult", Data: "family:families=2,twin=0",
		Set: []string{"train.epochs=2"}})
	if err != nil {
		panic(err)
	}
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		panic(err)
	}
	if _, err := fact.Run(context.Background(), *c, d, fact.Options{Options: train.Options{Dir: dir}}); err != nil {
		panic(err)
	}
	r, err := report.OpenPlain(dir, kinds.Of(c))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Page(io.Discard, report.Options{}), report.Compare(io.Discard, r, r))
	// Output:
	// <nil> <nil>
}
