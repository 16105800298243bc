package fact_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/train"
)

// family is a small knowledge graph with the config of a recipe for it.
func family(recipe string, set ...string) (config.Config, *dataset.Dataset) {
	c, err := config.Load(config.Options{Recipe: recipe, Data: "family:families=2,twin=1", Set: set})
	if err != nil {
		panic(err)
	}
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		panic(err)
	}
	return *c, d
}

// What a config means for data, before anything is trained.
func ExampleCheck() {
	c, d := family("path")
	warnings, err := fact.Check(c, d)
	fmt.Println(len(warnings), err)
	fmt.Println(fact.IsKnowledge(d), fact.DefaultRecipe(d), fact.Metric(c), fact.Tested(c, d) == d.Twin)
	fmt.Println(fact.About(metric.Sampled50))
	// Output:
	// 0 <nil>
	// true path hits@10_50 true
	// each answer ranked among 49 entities drawn at random that are not known to be right (grail_50)
}

// A run folder is opened again.
func ExampleOpen() {
	root, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	dir := filepath.Join(root, "kin")
	c, d := family("distmult", "train.epochs=2")
	if _, err := fact.Run(context.Background(), c, d, fact.Options{Options: train.Options{Dir: dir}}); err != nil {
		panic(err)
	}
	t, err := fact.Open(dir)
	fmt.Println(t.Config.Recipe, err)
	_, err = fact.Load(dir, c, d)
	fmt.Println(err)
	// Output:
	// distmult <nil>
	// <nil>
}

// An audit judges the facts that a model has learnt from, and is kept as a table.
func ExampleReadAudit() {
	c, d := family("complex", "train.epochs=5", "model.hidden=8")
	r, err := fact.Run(context.Background(), c, d, fact.Options{})
	if err != nil {
		panic(err)
	}
	a, err := fact.Of(r).Audit(context.Background(), fact.AuditOptions{Sample: 100})
	if err != nil {
		panic(err)
	}
	var table strings.Builder
	if err := a.WriteCSV(&table); err != nil {
		panic(err)
	}
	b, err := fact.ReadAudit("audit.csv", strings.NewReader(table.String()))
	fmt.Println(len(b.Facts), b.Facts[0].Rank, b.Facts[0].Suspicion > b.Facts[99].Suspicion, err)
	// Output: 100 1 true <nil>
}

// A fact is explained by others about its two ends.
func ExampleTrained_Explain() {
	c, d := family("complex", "train.epochs=5", "model.hidden=8")
	r, err := fact.Run(context.Background(), c, d, fact.Options{})
	if err != nil {
		panic(err)
	}
	f := d.Test[0]
	e, err := fact.Of(r).Explain(fact.Fact{Head: d.IDs.At(f.U), Relation: d.Relations[f.R], Tail: d.IDs.At(f.V)},
		3)
	fmt.Println(len(e.Facts), e.Left > 0, e.Known, err)
	// Output: 3 true false <nil>
}
