package serve_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/serve"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// A run answers over HTTP, and takes an edge in.
func ExampleNew() {
	parent, err := os.MkdirTemp("", "serve")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "karate")
	c, err := config.Default("base", "karate")
	if err != nil {
		log.Fatal(err)
	}
	c.Train.Epochs = 30
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := node.Run(context.Background(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		log.Fatal(err)
	}
	s, err := serve.New(context.Background(), serve.Options{}, nil, dir)
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	resp, err := http.Post(server.URL+"/v1/graph", "application/json",
		strings.NewReader(`{"edits":[{"add_edge":["17","26"]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	fmt.Println(s.Names(), resp.StatusCode, strings.HasPrefix(string(text), `{"version":1,"bound":0`))
	// Output: [karate] 200 true
}
