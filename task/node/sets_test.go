package node

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// tagged is a graph of ten communities whose nodes have the class of theirs and half of the time the one after it, so
// that a class is had by 15 % of the nodes. Features are small, as those of words are.
func tagged(t *testing.T) *dataset.Dataset {
	t.Helper()
	d, _, err := generate.Make("csbm:nodes=800,classes=10,degree=8,homophily=0.8,features=40,signal=1.5,train=0.4," +
		"seed=5")
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Features[0].Values {
		d.Features[0].Values[i] *= 0.1
	}
	rng, n, k := rand.New(rand.NewPCG(5, 5)), len(d.Labels.Class), len(d.Labels.Names)
	d.Labels.Task, d.Labels.Values = dataset.Sets, make([]mat.Real, n*k)
	for v, c := range d.Labels.Class {
		d.Labels.Values[v*k+int(c)] = 1
		if rng.Float64() < 0.5 {
			d.Labels.Values[v*k+int(c+1)%k] = 1
		}
		d.Labels.Class[v] = 0
	}
	return d
}

// TestRareClassesOfSets: sets of classes that few nodes have are learnt with the settings for any data. A mean over the
// columns of the loss leaves derivatives so small that weights decay, no probability reaches 1/2, the first epoch has
// the best F1 and training ends.
func TestRareClassesOfSets(t *testing.T) {
	d := tagged(t)
	for _, recipe := range []string{"base", "robust"} {
		c := must(config.Load(config.Options{Recipe: recipe, Data: "-", Set: []string{"train.epochs=200"}}))
		r := trained(t, *c, d, Options{})
		// Nobody knows who has a second class: F1 of the right first ones alone is 2·1/(1 + 1.5) = 0.8.
		if r.Best[0] < 10 || r.Test.Mean < 0.6 || len(r.Warnings) > 0 {
			t.Errorf("%s: test %s %.3f, the best epoch %v, %q", recipe, r.Metric, r.Test.Mean, r.Best, r.Warnings)
		}
		if x := r.Calibration; x == nil || x.Threshold <= 0 || x.Threshold >= 1 || x.By != "micro_f1" {
			t.Errorf("%s: %+v", recipe, x)
		}
		t.Logf("%s %.3f, threshold %.2f, best epoch %v", recipe, r.Test.Mean, r.Calibration.Threshold, r.Best)
	}
}

// TestThresholdOfSets: the threshold is the best of all hundredths by the metric itself.
func TestThresholdOfSets(t *testing.T) {
	d := tagged(t)
	split, k := d.Splits[0], len(d.Labels.Names)
	rng, z := rand.New(rand.NewPCG(7, 7)), make([]mat.Real, len(d.Labels.Values))
	for i, y := range d.Labels.Values {
		z[i] = mat.Real(2*float64(y) - 2 + 1.5*rng.NormFloat64())
	}
	for by, name := range map[string]string{"micro_f1": "micro_f1", "macro_f1": "macro_f1",
		"average_precision": "micro_f1"} {
		g := newSets(d, split)
		g.decide(z, split.Valid, by)
		m, _ := metric.ByName(name)
		best := 0.0
		for i := 1; i < 100; i++ {
			p := float64(i) / 100
			best = max(best, m.Sets(metric.Sets{Logits: z, Least: mat.Real(logit(p)), Classes: k,
				Values: d.Labels.Values, Pick: split.Valid}))
		}
		if got := g.measure(name, z, split.Valid); got != best || g.found.Threshold == 0.5 {
			t.Errorf("%s: %v at %v, the best is %v", by, got, g.found.Threshold, best)
		}
	}
	if g := newSets(d, split); g.constant() == nil || g.always() == `""` {
		t.Errorf("always %s", g.always())
	}
}

// TestThresholdsOfClasses: a class whose probabilities are all too low gets a threshold of its own, by which the other
// half of the nodes is better too; where probabilities mean the same for all classes there is one threshold for all.
func TestThresholdsOfClasses(t *testing.T) {
	const n, k = 400, 3
	rng := rand.New(rand.NewPCG(1, 2))
	d := tagged(t)
	d.Labels.Names, d.Labels.Values, d.Labels.Class = []string{"a", "b", "c"}, make([]mat.Real, n*k), make([]int32, n)
	nodes, z := make([]int32, n), make([]mat.Real, n*k)
	for v := range nodes {
		nodes[v] = int32(v)
		for c := range k {
			if p := rng.Float64(); rng.Float64() < p {
				d.Labels.Values[v*k+c] = 1
				z[v*k+c] = mat.Real(logit(p))
			} else {
				z[v*k+c] = mat.Real(logit(p))
			}
		}
	}
	s := dataset.Split{Train: nodes, Valid: nodes}
	for _, low := range []mat.Real{0, 3} {
		for v := range nodes {
			z[v*k+2] -= low
		}
		g := newSets(d, s)
		g.decide(z, nodes, "micro_f1")
		common := g.measure("micro_f1", z, nodes)
		g.calibrate(z, s, "micro_f1")
		if own := g.measure("micro_f1", z, nodes); own < common || low > 0 && own < common+0.05 {
			t.Errorf("lowered by %g: micro F1 %.3f with thresholds %v, %.3f with one", low, own, g.found.Thresholds,
				common)
		}
		if x := g.found.Thresholds; low > 0 && (x == nil || x[2] > x[0]/2 || x[2] > x[1]/2) {
			t.Errorf("thresholds %v", x)
		}
	}
}
