package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/train"
)

// TestOpen: folder, config, data and weights are found again, and predict what the run predicted.
func TestOpen(t *testing.T) {
	for _, name := range []string{"base", "heterophily-huber", "gcn"} {
		c, err := config.Default(name, "minesweeper:size=20")
		if err != nil {
			t.Fatal(err)
		}
		c.Train.Epochs, c.Train.Repeat = 5, 2
		d, err := catalogue.Open(c.Data.Name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		r := trained(t, *c, d, Options{Options: train.Options{Dir: dir}})
		if r.Metric != "roc_auc" {
			t.Errorf("metric %s", r.Metric)
		}
		back, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		checkPredictions(t, back, dir)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "config.yaml") {
		t.Errorf("an empty folder: %v", err)
	}
	c, err := config.Default("base", "minesweeper:size=10")
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = 2
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	trained(t, *c, d, Options{Options: train.Options{Dir: filepath.Join(dir, "run")}})
	path := filepath.Join(dir, "run", "model.safetensors")
	whole := contents(t, path)
	for _, n := range []int{0, 7, 100, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(filepath.Join(dir, "run")); err == nil ||
			!strings.Contains(err.Error(), "model.safetensors") {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestRenamedData: the settings of a run on a data set that has some of its own, keys that nothing reads among them,
// equal those of the run also where the data has come by another name, such as a snapshot of a server.
func TestRenamedData(t *testing.T) {
	c, err := config.Load(config.Options{Recipe: "base", Data: "cora", Set: []string{"train.epochs=5"}})
	if err != nil {
		t.Fatal(err)
	}
	d := clusters(60)
	d.Name = "Cora"
	dir := filepath.Join(t.TempDir(), "run")
	trained(t, *c, d, Options{Options: train.Options{Dir: dir}})
	moved := *d
	moved.Name = "snapshot"
	c.Data.Name = "snapshot.bloom"
	back, err := Load(dir, *c, &moved, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkPredictions(t, back, dir)
	if _, err := Build(*c, &moved, Trials(*c, &moved)[0], Options{}); err == nil {
		t.Error("who trains with such keys is not told that nothing reads them")
	}
	if _, err := Build(*c, &moved, Trials(*c, &moved)[0], Options{Options: train.Options{Resume: true}}); err != nil {
		t.Error(err)
	}
}
