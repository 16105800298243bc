package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/format"
)

// planetoid is a Planetoid set of $BLOOM_DATA.
func planetoid(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	dir := os.Getenv("BLOOM_DATA")
	if dir == "" {
		t.Skip("BLOOM_DATA is not set")
	}
	d, err := format.Open(filepath.Join(dir, "planetoid", "ind."+name+".x"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// twirls are the settings of TWIRLS for Cora, with Jacobi's form of the step.
func twirls(t testing.TB, epochs int) config.Config {
	c := settings(t, "base")
	r := *c.Energy
	r.L = 8
	c.Energy, c.Data.Scale = &r, "auto"
	c.Model = config.Model{Input: c.Model.Input, Before: 1, Dropout: 0.8, InputDropout: 0.8}
	c.Train = config.Train{Epochs: epochs, Rate: 0.3, WeightDecay: 5e-5, Seed: 1, Sample: c.Train.Sample}
	return c
}

func TestCora(t *testing.T) {
	d := planetoid(t, "cora")
	if r := trained(t, twirls(t, 100), d, Options{}); r.Test.Mean < 0.80 {
		t.Errorf("test accuracy %.4f, want 0.80 or more", r.Test.Mean)
	} else {
		t.Logf("test accuracy %.4f in %.2f s", r.Test.Mean, r.Seconds)
	}
}

// BenchmarkCora is a whole run of 500 epochs, each with forward, backward and evaluation.
func BenchmarkCora(b *testing.B) {
	d := planetoid(b, "cora")
	for b.Loop() {
		trained(b, twirls(b, 500), d, Options{})
	}
}
