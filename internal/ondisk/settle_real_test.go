package ondisk_test

import (
	"context"
	"math"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/node"
)

// TestAccuracy trains base on published sets in both ways: with the descent in every epoch, and with the descent run
// once. Without dropout of features both have the same loss and differ by rounding; 0.2 % are two of the thousand test
// nodes.
func TestAccuracy(t *testing.T) {
	for _, name := range []string{"cora", "pubmed"} {
		d, err := catalogue.Find(name).Load()
		if err != nil {
			t.Skip(err)
		}
		c, err := config.Load(config.Options{Recipe: "base", Data: name, Set: []string{"model.before=1",
			"model.after=0", "model.input_dropout=0", "train.epochs=60", "train.rate=0.1", "train.patience=0"}})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := node.Run(context.Background(), *c, d, node.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := node.Run(context.Background(), *c, settled(t, inBlocks(t, d), *c, plenty), node.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.4f with all of the graph, %.4f with settled rows", name, whole.Test.Mean, rows.Test.Mean)
		if math.Abs(whole.Test.Mean-rows.Test.Mean) > 0.002 {
			t.Errorf("%s: %.4f with all of the graph, %.4f with settled rows", name, whole.Test.Mean, rows.Test.Mean)
		}
	}
}
