package generate

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// TestSmooth: without noise the numbers minimise the energy: h + λ Σ (h_v − h_u) is linear in x, so that two nodes with
// the same features have the same of it.
func TestSmooth(t *testing.T) {
	d, _, err := Make("smooth:nodes=300,noise=0,features=1,seed=2")
	if err != nil {
		t.Fatal(err)
	}
	if d.Labels.Task != dataset.Numbers || d.Metric != "rmse" {
		t.Errorf("%+v", d.Labels.Task)
	}
	left := make([]float64, 300)
	for v, y := range d.Labels.Values {
		left[v] += float64(y)
	}
	for _, e := range d.Graph.Triples() {
		pull := float64(d.Labels.Values[e.U] - d.Labels.Values[e.V])
		left[e.U] += pull
		left[e.V] -= pull
	}
	w := left[0] / float64(d.Features[0].Values[0])
	for v, x := range d.Features[0].Values {
		if want := w * float64(x); math.Abs(left[v]-want) > 1e-3*math.Abs(w) { // single precision, small x_0
			t.Fatalf("node %d: %v, want %v", v, left[v], want)
		}
	}
}
