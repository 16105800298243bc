package node_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/task/node"
)

// Recipes are compared on the split of a data set, or by folds where nobody has divided it; the best one is trained.
func ExampleRace() {
	data, _, err := generate.Make("csbm:nodes=200,classes=2,homophily=0.9,signal=1,seed=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	data.DrawnSplit = true // as after an import that was not told how to divide the nodes
	raced, err := node.Race(context.Background(), data, node.RaceOptions{Names: node.CandidateNames()[:1]})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := node.Run(context.Background(), raced.Config, data, node.Options{Raced: raced})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(raced.Name, raced.Metric, "over", result.Folds, "folds, above 0.9:", result.Valid.Mean > 0.9)
	// Output: closed accuracy over 5 folds, above 0.9: true
}

// One config is measured by folds too.
func ExampleCrossValidate() {
	data, _, err1 := generate.Make("csbm:nodes=200,classes=2,homophily=0.9,signal=1,seed=3")
	c, err2 := config.Load(config.Options{Recipe: "closed", Data: "-", Set: []string{"data.folds=3"}})
	if err1 != nil || err2 != nil {
		fmt.Println(err1, err2)
		return
	}
	raced, err := node.CrossValidate(context.Background(), *c, data, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(raced.Folds, "folds,", len(raced.Score.Runs), "scores")
	// Output: 3 folds, 3 scores
}
