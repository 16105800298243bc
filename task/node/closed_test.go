package node

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// TestClosed: recipe closed answers classes, numbers and sets without an epoch, better than a constant, and the same
// when the run is opened again.
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
		if r.Epochs != 0 || !x.good(r.Test.Mean) {
			t.Errorf("%s %q: %d epochs, %s %v", x.d.Name, x.d.Labels.Task, r.Epochs, r.Metric, r.Test.Mean)
		}
		again, err := Load(dir, c, x.d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := again.Job().WritePredictions(&b); err != nil ||
			!bytes.Equal(b.Bytes(), contents(t, dir, "predictions.csv")) {
			t.Errorf("%q: other predictions from the folder, %v", x.d.Labels.Task, err)
		}
	}
}
