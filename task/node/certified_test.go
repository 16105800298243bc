package node

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/train"
)

// TestOutgrownStep: training makes C larger until a fixed γ is too long for it. It stops there with the best epoch
// before, which predicts, and so does the run when it is resumed, also with more epochs; without one it says
// so. A γ that follows C trains on.
func TestOutgrownStep(t *testing.T) {
	const ref = "csbm:nodes=300,homophily=0.2,seed=3"
	load := func(gamma, epochs string) config.Config {
		c, err := config.Load(config.Options{Recipe: "heterophily", Data: ref,
			Set: []string{"energy.descent.sigma=none", "energy.descent.gamma=" + gamma, "train.epochs=" + epochs}})
		if err != nil {
			t.Fatal(err)
		}
		return *c
	}
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	first := trained(t, load("0.02", "60"), d, Options{Options: train.Options{Dir: dir}})
	if first.Epochs < 2 || first.Epochs >= 60 || first.Best[0] >= first.Epochs ||
		!strings.Contains(strings.Join(first.Warnings, "\n"), "need shorter steps than energy.descent.gamma=0.02") {
		t.Errorf("%d epochs, the best %v: %q", first.Epochs, first.Best, first.Warnings)
	}
	files := map[string][]byte{}
	for _, name := range []string{"predictions.csv", "model.safetensors"} {
		files[name] = contents(t, filepath.Join(dir, name))
	}
	for _, epochs := range []string{"60", "80"} {
		again := trained(t, load("0.02", epochs), d, Options{Options: train.Options{Dir: dir, Resume: true}})
		for name, want := range files {
			if again.Epochs != first.Epochs || !bytes.Equal(contents(t, filepath.Join(dir, name)), want) {
				t.Errorf("resumed, %d epochs, not %d, or another %s", again.Epochs, first.Epochs, name)
			}
		}
	}
	back, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	checkPredictions(t, back, dir)
	rarely := load("0.02", "60")
	rarely.Train.Every = 40 // no epoch before the end would be evaluated
	if r := trained(t, rarely, d, Options{}); r.Epochs != first.Epochs || r.Best[0] != first.Best[0] {
		t.Errorf("evaluated rarely: %d epochs, the best %v, want %d and %v", r.Epochs, r.Best, first.Epochs, first.Best)
	}
	if r := trained(t, load("safe", "60"), d, Options{}); r.Epochs != 60 {
		t.Errorf("%d epochs with steps that follow C", r.Epochs)
	}
	c := load("0.02", "60")
	c.Train.Rate = 0.5 // the first epoch makes the step too long
	if _, err := Run(context.Background(), c, d, Options{}); err == nil ||
		!strings.Contains(err.Error(), "There is no earlier epoch to keep; energy.descent.gamma=safe") {
		t.Errorf("error %v", err)
	}
}
