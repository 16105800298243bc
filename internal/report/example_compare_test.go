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
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// Two runs are compared on one page.
func ExampleCompare() {
	root, err := os.MkdirTemp("", "runs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	d, err := catalogue.Open("karate")
	if err != nil {
		panic(err)
	}
	var runs []report.Opened
	for _, name := range []string{"base", "robust"} {
		c, err := config.Default(name, "karate")
		if err != nil {
			panic(err)
		}
		c.Train.Epochs = 10
		dir := filepath.Join(root, name)
		if _, err := node.Run(context.Background(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
			panic(err)
		}
		run, err := report.Open(dir)
		if err != nil {
			panic(err)
		}
		runs = append(runs, run)
	}
	page := filepath.Join(root, "compare.html")
	err = report.Store(page, func(w io.Writer) error { return report.Compare(w, runs...) })
	info, _ := os.Stat(page)
	fmt.Println(err, info.Size() > 1000)
	// Output: <nil> true
}
