package nodes

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset/generate"
)

// TestConformal: over random halves of nodes that were not trained on, sets of classes and intervals hold what is true
// as often as they promise, on the mean.
func TestConformal(t *testing.T) {
	for _, ref := range []string{"csbm:nodes=2000,classes=4,signal=2,homophily=0.6,train=0.2", "smooth:nodes=2000"} {
		d, _, err := generate.Make(ref)
		if err != nil {
			t.Fatal(err)
		}
		c := settings(t, "base")
		c.Train.Epochs, c.Train.Metric = 20, "auto"
		task := trained(t, c, d, Options{}).Job.(*Task)
		valid, test := task.Split.Valid, task.Split.Test
		p, err := task.Predict()
		if err != nil {
			t.Fatal(err)
		}
		sum, runs := 0.0, 60
		for seed := range uint64(runs) {
			a, b := halves(append(append([]int32{}, valid...), test...), seed)
			task.Split.Valid, task.Split.Test, task.Trial.Seed = a, b, seed
			s, err := p.Conform(0.9)
			if err != nil {
				t.Fatal(err)
			}
			sum += s.Test / float64(runs)
		}
		if math.Abs(sum-0.9) > 0.01 {
			t.Errorf("%s: %v of the nodes, want 0.9", ref, sum)
		}
	}
	task := trained(t, settings(t, "base"), clusters(200), Options{}).Job.(*Task)
	p, err := task.Predict()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Conform(0.999); err == nil {
		t.Error("0.999 of a few validation nodes")
	}
}
