package node

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// TestRegressionReachesTheOptimum: on numbers that minimise a known energy, the model of that energy comes within 2 %
// of the error that is left to those who know it: the noise.
func TestRegressionReachesTheOptimum(t *testing.T) {
	const ref = "smooth:nodes=2500,features=6,seed=1,noise="
	d, _, err := generate.Make(ref + "0.5")
	if err != nil {
		t.Fatal(err)
	}
	truth, _, err := generate.Make(ref + "0")
	if err != nil {
		t.Fatal(err)
	}
	square := 0.0
	for _, v := range d.Splits[0].Test {
		e := float64(d.Labels.Values[v] - truth.Labels.Values[v])
		square += e * e / float64(len(d.Splits[0].Test))
	}
	best := math.Sqrt(square)
	c := must(config.Load(config.Options{Recipe: "base", Data: d.Name, Set: []string{"model.before=1", "model.after=0",
		"energy.steps=32", "train.epochs=120", "train.rate=0.1", "train.weight_decay=0", "model.input_dropout=0"}}))
	r := trained(t, *c, d, Options{})
	if r.Metric != "rmse" || r.Test.Mean > 1.02*best || r.Test.Mean < 0.98*best {
		t.Errorf("%s %v, the best possible is %v", r.Metric, r.Test.Mean, best)
	}
	t.Logf("rmse %.4f, the best possible is %.4f: %+.2f %%", r.Test.Mean, best, 100*(r.Test.Mean/best-1))
}

// numbered is data whose number is 10 more for one class than for the other; setted has both classes as a set.
func numbered() *dataset.Dataset {
	d := clusters(200)
	y := make([]mat.Real, 200)
	for v, c := range d.Labels.Class {
		y[v] = mat.Real(100 + 10*c)
		d.Labels.Class[v] = 0
	}
	d.Labels.Names, d.Labels.Task, d.Labels.Values = []string{"price"}, dataset.Numbers, y
	return d
}

func setted() *dataset.Dataset {
	d := clusters(200)
	y := make([]mat.Real, 3*200)
	for v, c := range d.Labels.Class {
		y[3*v+int(c)], y[3*v+2] = 1, 1
		d.Labels.Class[v] = 0
	}
	d.Labels.Names, d.Labels.Task, d.Labels.Values = []string{"even", "odd", "any"}, dataset.Sets, y
	return d
}

// TestRunsOfNumbersAndSets: train, folder, predictions, and the same from the folder.
func TestRunsOfNumbersAndSets(t *testing.T) {
	for _, x := range []struct {
		d            *dataset.Dataset
		metric, head string
		good         func(float64) bool
	}{
		{numbered(), "rmse", "id,value,label,split,residual,energy\n", func(v float64) bool { return v < 3 }},
		{setted(), "micro_f1", "id,classes,label,split,residual,energy,p:even,p:odd,p:any\n",
			func(v float64) bool { return v > 0.85 }},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		c := settings(t, "base")
		c.Train.Metric = "auto"
		c.Train.Epochs = 60
		r := trained(t, c, x.d, Options{Options: train.Options{Dir: dir}})
		if r.Metric != x.metric || !x.good(r.Test.Mean) || len(r.Metrics) != 3 ||
			(r.Calibration != nil) != (x.metric == "micro_f1") {
			t.Errorf("%+v", r)
		}
		for _, m := range r.Metrics {
			if m.Majority != nil && !beats(m) {
				t.Errorf("%+v", m)
			}
		}
		rows := contents(t, dir, "predictions.csv")
		if !bytes.HasPrefix(rows, []byte(x.head)) {
			t.Errorf("%.200s", rows)
		}
		again, err := Load(dir, c, x.d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := again.Job().WritePredictions(&b); err != nil || !bytes.Equal(b.Bytes(), rows) {
			t.Errorf("other predictions from the folder, %v", err)
		}
	}
}

// TestTasksRefuse: what is about classes says so.
func TestTasksRefuse(t *testing.T) {
	for _, x := range []struct{ recipe, set, want string }{
		{"base", "train.loss=cross_entropy", "train.loss"}, {"base", "train.loss=binary", "squared or huber"},
		{"base", "train.metric=accuracy", "rmse, mae or r2"}, {"base", "train.class_weight=balanced", "no class"},
		{"lp", "train.seed=2", "label propagation"},
	} {
		c := must(config.Load(config.Options{Recipe: x.recipe, Data: "clusters", Set: []string{x.set}}))
		d := numbered()
		if _, err := Build(*c, d, Trials(*c, d)[0], Options{}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s %s: %v, want %q", x.recipe, x.set, err, x.want)
		}
	}
}
