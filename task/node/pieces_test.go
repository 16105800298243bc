package node

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/train"
)

// TestPieces: π of pieces learns what no line can, its run answers as before once it is opened, and without layers it
// is refused.
func TestPieces(t *testing.T) {
	d := undividedHere(t, "csbm:nodes=300,classes=2,homophily=0.5,signal=0,features=3,seed=5")
	x := d.Features[0]
	for v := range d.Labels.Class { // an interval of the first column
		d.Labels.Class[v] = 0
		if y := x.Values[v*x.Cols]; y > -0.6 && y < 0.6 {
			d.Labels.Class[v] = 1
		}
	}
	d.DrawnSplit = false
	configOf := func(input string, set ...string) config.Config {
		c, err := config.Load(config.Options{Recipe: "base", Data: "-", Set: append([]string{"model.input=" + input,
			"energy.steps=0", "model.before=1", "model.dropout=0", "train.epochs=150"}, set...)})
		if err != nil {
			t.Fatal(err)
		}
		return *c
	}
	score := map[string]float64{}
	for _, input := range []string{"layers", "pieces"} {
		dir := filepath.Join(t.TempDir(), "run")
		c := configOf(input)
		r, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		score[input] = r.Test.Mean
		again, err := Load(dir, c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(logitsOf(t, again.Task), logitsOf(t, Of(r))) {
			t.Errorf("%s: the run that is opened answers differently", input)
		}
	}
	if score["pieces"] < score["layers"]+0.03 {
		t.Errorf("test accuracy %v", score)
	}
	if _, err := Build(configOf("pieces", "model.before=0"), d, train.Trial{}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "model.before") {
		t.Errorf("without layers: %v", err)
	}
}
