package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/run"
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
		r := trained(t, *c, d, Options{Options: run.Options{Dir: dir}})
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
	trained(t, *c, d, Options{Options: run.Options{Dir: filepath.Join(dir, "run")}})
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
