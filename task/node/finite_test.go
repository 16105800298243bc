package node

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// TestHugeWeights: weights that no number is large enough for are refused by everything that computes with them.
func TestHugeWeights(t *testing.T) {
	c, d := settings(t, "base"), clusters(60)
	for _, weight := range []float64{math.Inf(1), math.NaN(), math.MaxFloat32 / 2} {
		task, err := Build(c, d, Trials(c, d)[0], Options{})
		if err != nil {
			t.Fatal(err)
		}
		mat.Fill(task.network.Params()[0].Value(), mat.Real(weight))
		_, predict := task.Predict()
		_, audit := task.Audit()
		_, measure := task.Job().Measure(context.Background())
		for what, err := range map[string]error{"predict": predict, "audit": audit, "measure": measure} {
			if err == nil {
				t.Errorf("weights of %g: %s says nothing", weight, what)
			}
		}
	}
}

// TestNothingToTest: a result without test nodes has no number, and one class is told.
func TestNothingToTest(t *testing.T) {
	c, d := settings(t, "base"), clusters(60)
	c.Train.Epochs = 2
	s := d.Splits[0]
	s.Test = nil
	d.Splits = []dataset.Split{s}
	r := trained(t, c, d, Options{})
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"test":{"mean":null,"sd":null,"runs":[]}`) ||
		!strings.Contains(string(text), "no test nodes: there is no test metric") {
		t.Errorf("%s, %v", text, err)
	}
	var back train.Result
	if err := json.Unmarshal(text, &back); err != nil || len(back.Test.Runs) != 0 || back.Valid.Mean != r.Valid.Mean {
		t.Errorf("read back %+v, %v", back, err)
	}
	for v := range d.Labels.Class {
		d.Labels.Class[v] = 0
	}
	r = trained(t, c, d, Options{})
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "all training nodes have the class") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestLastUpdate: a rate that takes the weights out of the numbers is an error, also in the last epoch.
func TestLastUpdate(t *testing.T) {
	c, d := settings(t, "base"), clusters(60)
	c.Train.Epochs, c.Train.Every, c.Train.Optimizer = 1, 5, "sgd"
	for _, rate := range []float64{1e9, 1e30, 1e38, 1e300} {
		c.Train.Rate = rate
		_, err := Run(context.Background(), c, d, Options{Energies: true})
		var bad *train.NotFinite
		if err != nil && (!errors.As(err, &bad) || !strings.Contains(err.Error(), "train.rate")) {
			t.Errorf("rate %g: error %v", rate, err)
		}
		if rate > 1e35 && err == nil {
			t.Errorf("rate %g: no error", rate)
		}
	}
}
