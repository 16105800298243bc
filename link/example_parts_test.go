package link_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/ranking"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/run"
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
	warnings, err := link.Check(c, d)
	fmt.Println(len(warnings), err)
	fmt.Println(link.IsKnowledge(d), link.DefaultRecipe(d), link.Metric(c), link.Tested(c, d) == d.Twin)
	fmt.Println(link.About(ranking.Sampled50))
	// Output:
	// 0 <nil>
	// true path hits@10_50 true
	// each answer ranked among 49 entities drawn at random that are not known to be right (grail_50)
}

// A config in the words of the package that trains it.
func ExampleEmbedding() {
	c, _ := family("complex")
	k, err := link.Embedding(c)
	fmt.Println(k.Name(), k.Dim, err)
	// Output: complex 128 <nil>
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
	if _, err := link.Run(context.Background(), c, d, link.Options{Options: run.Options{Dir: dir}}); err != nil {
		panic(err)
	}
	t, err := link.Open(dir)
	fmt.Println(t.Config.Recipe, err)
	_, err = link.Load(dir, c, d)
	fmt.Println(err)
	// Output:
	// distmult <nil>
	// <nil>
}

// An audit judges the facts that a model has learnt from, and is kept as a table.
func ExampleReadAudit() {
	c, d := family("complex", "train.epochs=5", "model.hidden=8")
	r, err := link.Run(context.Background(), c, d, link.Options{})
	if err != nil {
		panic(err)
	}
	a, err := link.Of(r).Audit(context.Background(), link.AuditOptions{Sample: 100})
	if err != nil {
		panic(err)
	}
	var table strings.Builder
	if err := a.WriteCSV(&table); err != nil {
		panic(err)
	}
	b, err := link.ReadAudit("audit.csv", strings.NewReader(table.String()))
	fmt.Println(len(b.Facts), b.Facts[0].Rank, b.Facts[0].Suspicion > b.Facts[99].Suspicion, err)
	// Output: 100 1 true <nil>
}

// A fact is explained by others about its two ends.
func ExampleTrained_Explain() {
	c, d := family("complex", "train.epochs=5", "model.hidden=8")
	r, err := link.Run(context.Background(), c, d, link.Options{})
	if err != nil {
		panic(err)
	}
	f := d.Test[0]
	e, err := link.Of(r).Explain(kg.Fact{Head: d.IDs.At(f.U), Relation: d.Relations[f.R], Tail: d.IDs.At(f.V)},
		3)
	fmt.Println(len(e.Facts), e.Left > 0, e.Known, err)
	// Output: 3 true false <nil>
}
