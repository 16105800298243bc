package node

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// TestClosed: recipe closed answers classes, numbers and sets without an epoch, better than a constant, and the same
// when the run is opened again; its metric is also in the results of other recipes.
func TestClosed(t *testing.T) {
	for _, x := range []struct {
		d    *dataset.Dataset
		good func(float64) bool
	}{
		{clusters(60), func(v float64) bool { return v > 0.85 }},
		{numbered(), func(v float64) bool { return v < 3 }},
		{setted(), func(v float64) bool { return v > 0.85 }},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		c := *must(config.Load(config.Options{Recipe: "closed", Data: x.d.Name}))
		r := trained(t, c, x.d, Options{Options: train.Options{Dir: dir}})
		base := *must(config.Load(config.Options{Recipe: "base", Data: x.d.Name}))
		with := companion(context.Background(), base, x.d)
		if with == nil || float64(with.Test) != r.Test.Mean || float64(with.Valid) != r.Valid.Mean {
			t.Errorf("%s next to another recipe: %+v, want %v and %v", x.d.Name, with, r.Valid.Mean, r.Test.Mean)
		}
		if companion(context.Background(), c, x.d) != nil {
			t.Errorf("%s: the closed form is compared with itself", x.d.Name)
		}
		if r.Epochs != 0 || !x.good(r.Test.Mean) {
			t.Errorf("%s %q: %d epochs, %s %v", x.d.Name, x.d.Labels.Task, r.Epochs, r.Metric, r.Test.Mean)
		}
		again := must(Load(dir, c, x.d, Options{}))
		if again.network.(*closedForm).logits == nil {
			t.Errorf("%q: the answers were not kept", x.d.Labels.Task)
		}
		var b bytes.Buffer
		err := again.Job().WritePredictions(&b)
		if err != nil || !bytes.Equal(b.Bytes(), contents(t, dir, "predictions.csv")) {
			t.Errorf("%q: other predictions from the folder, %v", x.d.Labels.Task, err)
		}
		other := *x.d
		other.Features = slices.Clone(other.Features)
		other.Features[0].Values = append([]mat.Real{7}, other.Features[0].Values[1:]...)
		if f, l := again.network.(*closedForm), must(Load(dir, c, &other, Options{})); f.linear != nil ||
			l.network.(*closedForm).logits != nil {
			t.Errorf("%q: a run solves again, or keeps its answers on other data", x.d.Labels.Task)
		}
	}
}

// TestClosedWithoutLabels: a state of the graph that lacks labels alone is not solved from the start, and has the
// answers of one that is.
func TestClosedWithoutLabels(t *testing.T) {
	for _, d := range []*dataset.Dataset{clusters(60), numbered(), setted()} {
		c := *must(config.Load(config.Options{Recipe: "closed", Data: d.Name}))
		dir := filepath.Join(t.TempDir(), "run")
		trained(t, c, d, Options{Options: train.Options{Dir: dir}})
		run := must(Load(dir, c, d, Options{}))
		s := Subgraph{Graph: run.Data.Graph, Features: run.Features(0)}
		for v := range int32(run.Data.Graph.NumNodes()) {
			s.Node = append(s.Node, v)
		}
		for _, v := range run.Split.Train[1:3] {
			s.Node[v] = -1
		}
		fast := must(run.Within(s)).network.(*closedForm)
		slow := &closedForm{Task: fast.Task, up: fast.up}
		if fast.whole == nil || len(fast.gone) != 2 {
			t.Fatalf("%q: %v of %v are gone", d.Labels.Task, fast.gone, fast.whole)
		}
		want := ad.Eval(must(slow.Predict(input.Evaluation()))).Slice()
		for i, z := range ad.Eval(must(fast.Predict(input.Evaluation()))).Slice() {
			if far := math.Abs(float64(z - want[i])); !(far < 1e-5*max(1, math.Abs(float64(want[i])))) {
				t.Fatalf("%q: logit %d is %g, and %g from the start", d.Labels.Task, i, z, want[i])
			}
		}
		s.Node[0], s.Node[1] = 1, 0
		if must(run.Within(s)).network.(*closedForm).whole != nil {
			t.Error("other nodes are taken for the same ones")
		}
	}
}
