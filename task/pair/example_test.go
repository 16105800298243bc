package pair_test

import (
	"context"
	"fmt"
	"os"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/train"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// club is the config of links of the karate club, and the data.
func club() (config.Config, *dataset.Dataset) {
	c, err := config.Load(config.Options{Task: "links", Data: "karate",
		Set: []string{"train.epochs=60", "model.hidden=16", "train.rate=0.01"}})
	check(err)
	d, err := catalogue.Open(c.Data.Name)
	check(err)
	return *c, d
}

// Who should know whom: a graph without features is enough.
func ExampleRun() {
	c, d := club()
	dir, err := os.MkdirTemp("", "run")
	check(err)
	defer os.RemoveAll(dir)
	r, err := pair.Run(context.Background(), c, d, train.Options{Dir: dir})
	check(err)
	t, err := pair.Open(dir)
	check(err)
	t, err = pair.Load(dir, t.Config, d) // the same where both are open
	check(err)
	found, err := t.Recommend("9", 3)
	check(err)
	same, err := pair.Of(r).Recommend("9", 3)
	check(err)
	fmt.Println(r.Metric, len(found), found[0].Source, found[0] == same[0])
	// Output: roc_auc 3 9 true
}

// What training would need, and whether settings can be searched by validation edges.
func ExampleNewEstimate() {
	c, d := club()
	e, err := pair.NewEstimate(context.Background(), c, d, 1)
	check(err)
	name, err := pair.Check(c, d)
	fmt.Println(e.Epochs, e.Weights > 0, name, err)
	// Output: 60 true roc_auc <nil>
}
