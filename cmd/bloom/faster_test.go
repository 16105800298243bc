package main

import (
	"context"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// TestFaster: --device auto times every kind of config on both devices, takes the one that needs less, and says so.
func TestFaster(t *testing.T) {
	before := mat.Default()
	defer mat.Use(before)
	devices := []mat.Device{mat.CPU, mattest.Opaque}
	for _, set := range [][]string{
		{"data.name=karate", "recipe=base", "train.epochs=5"},
		{"data.name=karate", "recipe=base", "task=links", "train.epochs=5"},
		{"data.name=family:families=2", "recipe=distmult", "train.epochs=2"},
	} {
		c, err := config.Load(config.Options{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		tried, err := faster(context.Background(), *c, devices)
		if err != nil {
			t.Fatal(err)
		}
		one, other := tried[devices[0].Name()], tried[devices[1].Name()]
		if one <= 0 || other <= 0 || (mat.Default() == mat.CPU) != (one <= other) {
			t.Errorf("%v: %v, and %s was taken", set, tried, mat.Default().Name())
		}
		if text := chosen(tried, devices); strings.Count(text, "an epoch takes") != 2 {
			t.Errorf("%v: %s", set, text)
		}
	}
}
