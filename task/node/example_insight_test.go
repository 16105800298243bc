package node_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/node"
)

// A fifth of the rows is replaced by noise; most of what the audit ranks first are these rows.
func ExampleTask_Audit() {
	cfg, err := config.Default("robust", "csbm:nodes=300,homophily=0.9")
	must(err)
	cfg.Data.Corrupt, cfg.Train.Epochs = "rows=0.2,scale=5", 30
	data, err := catalogue.Open(cfg.Data.Name)
	must(err)
	result, err := node.Run(context.Background(), *cfg, data, node.Options{})
	must(err)
	task := node.Of(result)
	audit, err := task.Audit()
	must(err)
	first, second := audit.Rows[0], audit.Rows[1]
	fmt.Println(len(audit.Rows), "rows ranked, the worst first:", first.Probability >= second.Probability)
	fmt.Println("more than half of the bad rows found:", audit.Detect.Ratio > 0.5)

	inspection, err := task.Inspect(0) // by ‖h − π(x)‖, as the paper does
	must(err)
	fmt.Println("more than half found by residuals:", task.Detect(inspection).Ratio > 0.5)
	// Output:
	// 300 rows ranked, the worst first: true
	// more than half of the bad rows found: true
	// more than half found by residuals: true
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
