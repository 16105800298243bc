package serve_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/serve"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A run is trained and then answers over HTTP.
func ExampleHandler() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "serve")
	check(err)
	defer os.RemoveAll(dir)
	c, err := config.Load(config.Options{Data: "karate", Set: []string{"train.epochs=5"}})
	check(err)
	d, err := catalogue.Open(c.Data.Name)
	check(err)
	run := filepath.Join(dir, "club")
	_, err = node.Run(ctx, *c, d, node.Options{Options: train.Options{Dir: run}})
	check(err)

	h, stop, err := serve.Handler(ctx, run)
	check(err)
	defer stop()
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest("GET", "http://localhost/v2/models/club/ready", nil))
	fmt.Println(answer.Code)
	// Output: 200
}
