package node

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// rare are n labelled nodes of which every tenth is of the second class, all of them training and validation nodes.
func rare(n int) (*dataset.Dataset, dataset.Split) {
	d := &dataset.Dataset{Name: "rare", Labels: dataset.Labels{Class: make([]int32, n), Names: []string{"no", "yes"}}}
	var s dataset.Split
	for v := range n {
		if v%10 == 0 {
			d.Labels.Class[v] = 1
		}
		s.Train, s.Valid, s.Test = append(s.Train, int32(v)), append(s.Valid, int32(v)), append(s.Test, int32(v))
	}
	return d, s
}

// TestClassWeights: balanced classes weigh the same in total, and a number is the weight of every node of its class.
func TestClassWeights(t *testing.T) {
	d, s := rare(100)
	weighted := func(word string, by map[string]float64) (*classes, error) {
		var c config.Train
		c.ClassWeight.Word, c.ClassWeight.By = word, by
		return newClasses(d, s, c)
	}
	sums := func(word string, by map[string]float64) (no, yes float64) {
		g, err := weighted(word, by)
		if err != nil {
			t.Fatal(err)
		}
		target, err := g.target(nil)
		if err != nil {
			t.Fatal(err)
		}
		for v, w := range target.Weight.Slice() {
			if d.Labels.Class[v] == 0 {
				no += float64(w)
			} else {
				yes += float64(w)
			}
		}
		return no, yes
	}
	if no, yes := sums("balanced", nil); math.Abs(no-50) > 1e-4 || math.Abs(yes-50) > 1e-4 {
		t.Errorf("balanced: %v and %v", no, yes)
	}
	if no, yes := sums("", map[string]float64{"yes": 7}); no != 90 || yes != 70 {
		t.Errorf("{yes: 7}: %v and %v", no, yes)
	}
	for name, w := range map[string]float64{"maybe": 1, "yes": -1} {
		_, err := weighted("", map[string]float64{name: w})
		if err == nil || !strings.Contains(err.Error(), "train.class_weight") {
			t.Errorf("%s %v: %v", name, w, err)
		}
	}
}

// TestCalibration: logits that are three times too large get the temperature 3, and the threshold is the best of all.
func TestCalibration(t *testing.T) {
	d, s := rare(20000)
	g, err := newClasses(d, s, config.Train{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	z := make([]mat.Real, 2*len(s.Train))
	for v := range s.Train {
		odds := 2 * rng.NormFloat64() // the class is drawn by them, so that they are right
		d.Labels.Class[v] = 0
		if rng.Float64() < 1/(1+math.Exp(-odds)) {
			d.Labels.Class[v] = 1
		}
		z[2*v+1] = mat.Real(3 * odds)
	}
	g.calibrate(z, s, "balanced_accuracy")
	if got := g.found; math.Abs(got.Temperature-3) > 0.15 || got.After > got.Before || got.After > 0.02 {
		t.Errorf("%+v", got) // 20000 draws leave 2 % of the temperature open
	}
	best, at := g.measure("balanced_accuracy", z, s.Valid), g.found.Threshold
	for _, other := range []float64{at / 2, at - 0.02, at + 0.02, (1 + at) / 2} {
		g.found.Threshold = other
		if got := g.measure("balanced_accuracy", z, s.Valid); got > best {
			t.Errorf("%v at %v, %v at %v", best, at, got, other)
		}
	}
}

// TestMeasuredAsCalibrated: a metric of probabilities divides logits by the temperature, one of answers goes by the
// threshold, and the order of two classes is left alone.
func TestMeasuredAsCalibrated(t *testing.T) {
	log := func(x float64) mat.Real { return mat.Real(math.Log(x)) }
	odds := []mat.Real{0, log(27), log(27), 0, log(27), 0}
	two := &classes{Labels: dataset.Labels{Class: []int32{1, 0, 0}, Names: []string{"no", "yes"}}}
	two.found = train.Calibration{Temperature: 3, Threshold: 0.8}
	// of yes: 3/4 and 1/4 at T = 3, 27/28 and 1/28 at T = 1
	three := &classes{Labels: dataset.Labels{Class: []int32{0, 1, 1}, Names: []string{"a", "b", "c"}}}
	three.found = train.Calibration{Temperature: 2}
	for _, c := range []struct {
		of      *classes
		z       []mat.Real
		measure string
		want    float64
	}{
		{two, odds, "log_loss", -math.Log(3.0 / 4)},
		{two, odds, "ece", 1.0 / 4},
		{two, odds, "roc_auc", 1},
		{two, odds, "accuracy", 2.0 / 3}, // 3/4 is below the threshold
		{three, []mat.Real{log(16), 0, 0, 0, log(16), 0, 0, log(4), 0}, "log_loss", // 4:1:1, 1:4:1 and 1:2:1
			-(2*math.Log(4.0/6) + math.Log(2.0/4)) / 3},
		{three, []mat.Real{log(16), 0, 0, 0, log(16), 0, 0, log(4), 0}, "accuracy", 1},
		// 4:3:0, 4:2:2 and 1:10:1: node 0 has more of a than node 1, but less at T = 1, where it is 16:9:0 and 16:4:4
		{three, []mat.Real{log(16), log(9), log(1e-12), log(16), log(4), log(4), 0, log(100), 0},
			"roc_auc", 0.75},
	} {
		c.of.of = metric.Predictions{Classes: len(c.of.Names), Labels: c.of.Class}
		if got := c.of.measure(c.measure, c.z, []int32{0, 1, 2}); math.Abs(got-c.want) > 1e-6 { // logits are rounded
			t.Errorf("%s of %d classes: %v, want %v", c.measure, len(c.of.Names), got, c.want)
		}
	}
}

// lossAt is the log loss of nodes at a temperature, with smoothed targets, by its definition.
func (c *classes) lossAt(z []mat.Real, nodes []int32, temperature float64) float64 {
	k, sum := len(c.Names), 0.0
	wrong := 1 / float64(len(nodes)+2)
	for _, v := range nodes {
		row, exps := z[int(v)*k:int(v+1)*k], 0.0
		for _, x := range row {
			exps += math.Exp(float64(x) / temperature)
		}
		for y, x := range row {
			target := wrong / float64(k-1)
			if y == int(c.Class[v]) {
				target = 1 - wrong
			}
			sum -= target * (float64(x)/temperature - math.Log(exps))
		}
	}
	return sum
}

// TestTemperature: logits of several scales, right and wrong ones, have the temperature of least loss, by a search that
// knows the loss alone; the same bits on any number of threads. The first and the last scale have it at an end.
func TestTemperature(t *testing.T) {
	defer kernel.SetThreads(kernel.Threads())
	n, k := 3*momentsOf+5, 7
	c := &classes{Labels: dataset.Labels{Names: make([]string, k), Class: make([]int32, n)}}
	nodes, z := make([]int32, n), make([]mat.Real, n*k)
	for seed, scale := range []float64{0.03, 0.3, 1, 4, 20, 300} {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		for v := range n {
			nodes[v], c.Class[v] = int32(v), int32(rng.IntN(k))
			for y := range k {
				z[v*k+y] = mat.Real(scale * rng.NormFloat64())
			}
			z[v*k+int(c.Class[v])] += mat.Real(scale * 1.5)
		}
		lo, hi, golden := math.Log(0.02), math.Log(50), (math.Sqrt(5)-1)/2
		for range 60 {
			a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
			if c.lossAt(z, nodes, math.Exp(a)) <= c.lossAt(z, nodes, math.Exp(b)) {
				hi = b
			} else {
				lo = a
			}
		}
		var bits [2]uint64
		for i, threads := range []int{1, 8} {
			kernel.SetThreads(threads)
			got, want := c.temperature(z, nodes), math.Exp(lo)
			if math.Abs(got/want-1) > 1e-6 { // the loss is flat: its rounding hides differences of T below 1e-7
				t.Errorf("scale %v: temperature %v, want %v", scale, got, want)
			}
			bits[i] = math.Float64bits(got)
		}
		if bits[0] != bits[1] {
			t.Errorf("scale %v: %x on one thread, %x on eight", scale, bits[0], bits[1])
		}
	}
}

// TestResultOfClasses: the result has all metrics with the majority's, and a folder keeps the threshold and the
// temperature, which its predictions go by.
func TestResultOfClasses(t *testing.T) {
	d, dir := clusters(200), filepath.Join(t.TempDir(), "run")
	c := settings(t, "base")
	c.Train.Metric = "macro_f1"
	r := trained(t, c, d, Options{Options: train.Options{Dir: dir}})
	if len(r.Metrics) != 6 || r.Calibration == nil || r.Calibration.By != "macro_f1" {
		t.Fatalf("%+v", r)
	}
	for _, m := range r.Metrics {
		if m.Majority == nil || len(m.Test.Runs) != 1 || !beats(m) {
			t.Errorf("%+v", m)
		}
		if m.Metric == r.Metric && m.Test.Mean != r.Test.Mean {
			t.Errorf("%+v, the result has %+v", m, r.Test)
		}
	}
	again, err := Load(dir, c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := again.goal.calibration(); got.Temperature != r.Calibration.Temperature ||
		got.Threshold != r.Calibration.Threshold {
		t.Errorf("%+v, want %+v", got, r.Calibration)
	}
}

// TestNoBetterThanTheMajority: a model that has learnt nothing comes with a warning.
func TestNoBetterThanTheMajority(t *testing.T) {
	c := settings(t, "base")
	c.Train.Epochs, c.Train.Rate = 1, 1e-9
	d := clusters(200)
	for i := range d.Features[0].Values {
		d.Features[0].Values[i] = 1
	}
	r := trained(t, c, d, Options{})
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "is no better than always") {
		t.Errorf("%+v %s", r.Test, all)
	}
}

// TestLowerIsBetter: the epoch of the smallest log loss is kept.
func TestLowerIsBetter(t *testing.T) {
	c := settings(t, "base")
	c.Train.Metric = "log_loss"
	least := math.Inf(1)
	r := trained(t, c, clusters(200), Options{Options: train.Options{Progress: func(e train.Event) {
		least = min(least, e.Valid)
	}}})
	if r.Valid.Mean != least {
		t.Errorf("%v was kept, the least is %v", r.Valid.Mean, least)
	}
}
