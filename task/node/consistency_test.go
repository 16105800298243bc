package node

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// dropping is a task with dropout of nodes and units, and samples.
func dropping(t *testing.T, d *dataset.Dataset, recipe string, set ...string) job {
	t.Helper()
	c := must(config.Load(config.Options{Recipe: recipe, Data: d.Name, Set: append([]string{"model.hidden=8",
		"model.drop_nodes=0.5", "model.dropout=0.3", "model.norm=batch"}, set...)}))
	return job{must(Build(*c, d, train.Trial{Seed: 1}, Options{}))}
}

// TestSamples: ℓ_up is the mean of the losses of draws that differ, and their distance; of an epoch it is a function,
// and the running statistics come from the first draw alone.
func TestSamples(t *testing.T) {
	for _, recipe := range []string{"base", "gcn"} {
		j := dropping(t, clusters(60), recipe, "train.consistency.samples=3", "train.consistency.weight=2")
		c := input.Training(&ad.Clock{Seed: 5})
		loss := must(j.lossOf(c, j.network))
		if got, want := len(c.Updates.Outputs()), len(j.State()); got != want || want == 0 {
			t.Errorf("%s: %d updates of %d numbers", recipe, got, want)
		}
		var parts, logits []ad.Var
		for s := range uint64(3) {
			at := c
			if s > 0 {
				at.Clock = &ad.Clock{Seed: mat.Mix(5, s), Beside: c.Clock}
			}
			parts, logits = append(parts, must(j.network.Loss(at))), append(logits, must(j.network.Predict(at)))
		}
		far := upper.Distance(0.5, logits...)
		prog := ad.Compile(append(parts, loss, far)...)
		at := func(epoch uint64) (float64, float64) {
			c.Clock.Epoch = epoch
			if err := prog.Run(); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, p := range parts {
				sum += float64(prog.Value(p).Item()) / 3
			}
			return float64(prog.Value(loss).Item()), sum + 2*float64(prog.Value(far).Item())
		}
		first, want := at(1)
		if math.Abs(first-want) > 1e-5 { // rounding of sums of a few numbers about 1
			t.Errorf("%s: ℓ_up is %v, want %v", recipe, first, want)
		}
		if a, b := prog.Value(parts[0]).Item(), prog.Value(parts[1]).Item(); a == b {
			t.Errorf("%s: two samples have the loss %v", recipe, a)
		}
		second, _ := at(2)
		if again, _ := at(1); again != first || second == first {
			t.Errorf("%s: losses %v, %v and again %v", recipe, first, second, again)
		}
	}
}

// TestNoDistanceOfNumbers: where labels are no classes, there are no probabilities that could differ.
func TestNoDistanceOfNumbers(t *testing.T) {
	for _, d := range []*dataset.Dataset{numbered(), setted()} {
		c := must(config.Load(config.Options{Recipe: "base", Data: d.Name,
			Set: []string{"train.consistency.weight=1"}}))
		_, err := Build(*c, d, train.Trial{Seed: 1}, Options{})
		var bad *train.BadSetting
		if !errors.As(err, &bad) || bad.Key != "train.consistency.weight" {
			t.Errorf("%s: %v", d.Labels.Task, err)
		}
	}
}
