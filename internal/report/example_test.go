package report_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// A run folder gets its page.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	c, err := config.Default("base", "karate")
	if err != nil {
		panic(err)
	}
	d, err := catalogue.Open("karate")
	if err != nil {
		panic(err)
	}
	if _, err := node.Run(context.Background(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		panic(err)
	}
	if err := report.Write(dir); err != nil {
		panic(err)
	}
	_, err = os.Stat(filepath.Join(dir, "report.html"))
	fmt.Println("there is a page:", err == nil)
	// Output: there is a page: true
}
