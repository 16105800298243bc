package own

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/report"
	"github.com/bloomgml/bloom/serve"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/train"
)

// mine are the settings of the energy: the terms and the penalty of this package.
var mine = []string{"energy.f=[{term: apart, lambda: 0.5, penalty: soft}]", "energy.kappa=[{anchor: soft}]",
	"energy.descent={algorithm: proximal, gamma: backtracking, sigma: none}", "energy.steps=3"}

// opened is a config with its data.
func opened(t *testing.T, recipe, task, data string, set ...string) (config.Config, *dataset.Dataset) {
	t.Helper()
	c := loaded(t, recipe, task, data, set...)
	d, err := catalogue.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return c, d
}

func loaded(t *testing.T, recipe, task, data string, set ...string) config.Config {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Task: task, Data: data, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

// TestNodes trains classes of nodes with everything of its own, from memory.
func TestNodes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "classes")
	c, d := opened(t, "base", "", "csbm:nodes=200", append(mine, "train.epochs=5", "train.loss=sharp",
		"train.metric=mistakes")...)
	r, err := node.Run(t.Context(), c, d, node.Options{Options: train.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metric != "mistakes" || !(r.Test.Mean >= 0 && r.Test.Mean <= 0.6) {
		t.Errorf("%s is %v", r.Metric, r.Test.Mean)
	}
	m, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Config.Energy.F[0].(apart); !ok || m.Config.Train.Loss != (sharp{}) {
		t.Errorf("the run is of %T and %T", m.Config.Energy.F[0], m.Config.Train.Loss)
	}
	paged(t, dir, "mistakes")
	served(t, dir)
}

// TestNodesOnDisk trains them on a graph that stays on the disk.
func TestNodesOnDisk(t *testing.T) {
	dir := t.TempDir()
	d, err := catalogue.Open("csbm:nodes=6000,features=12,classes=4")
	if err != nil {
		t.Fatal(err)
	}
	blocks, run := filepath.Join(dir, "x.bloom"), filepath.Join(dir, "blocks")
	if err := format.WriteBlocks(blocks, d); err != nil {
		t.Fatal(err)
	}
	c := loaded(t, "base", "", blocks, append(mine, "train.epochs=1", "train.loss=sharp", "train.metric=mistakes",
		"model.hidden=2048", "train.sample.batch=64", "train.sample.fanout=1", "train.sample.hops=1",
		"energy.steps=1")...)
	var said []string
	r, err := node.Train(t.Context(), c, node.Options{Options: train.Options{Dir: run}},
		node.DiskOptions{Memory: 300 << 20, Most: 100, Notice: func(s string) { said = append(said, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metric != "mistakes" {
		t.Errorf("%s is %v", r.Metric, r.Test.Mean)
	}
	if m, err := node.Open(run); err != nil || m.Data.Graph.NumNodes() >= 6000 {
		t.Errorf("all is in memory: %v, %v", err, said)
	}
	paged(t, run, "mistakes")
}

// TestPairs trains links of a graph, which is in memory always.
func TestPairs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pairs")
	c, d := opened(t, "base", "links", "karate", append(mine, "train.epochs=3", "train.metric=below")...)
	r, err := pair.Run(t.Context(), c, d, train.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metric != "below" {
		t.Errorf("%s is %v", r.Metric, r.Test.Mean)
	}
	paged(t, dir, "below")
	served(t, dir)
}

// TestFacts trains facts by a descent on an energy with a node term of its own.
func TestFacts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "facts")
	c, d := opened(t, "distmult-bilevel", "", "family:families=2", "energy.kappa=[small]", "train.epochs=2",
		"model.hidden=8")
	if _, err := fact.Run(t.Context(), c, d, fact.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	if m, err := fact.Open(dir); err != nil || m.Config.Energy.Kappa[0] != (small{}) {
		t.Error(err)
	}
	paged(t, dir, "hits@10")
	served(t, dir)
}

// paged writes the page of a run, which names the metric.
func paged(t *testing.T, dir, metric string) {
	t.Helper()
	if err := report.Write(dir); err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil ||
		!strings.Contains(strings.ToLower(string(page)), metric) {
		t.Errorf("the page does not name %s: %v", metric, err)
	}
}

// served asks a run over HTTP.
func served(t *testing.T, dir string) {
	t.Helper()
	h, stop, err := serve.Handler(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	s := httptest.NewServer(h)
	defer s.Close()
	answer, err := http.Get(s.URL + "/v2/models/" + filepath.Base(dir) + "/ready")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", answer.Status, text)
	}
}
