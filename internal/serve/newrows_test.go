package serve

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	dgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// TestNewRowsAsAdded: runs of all kinds answer for new rows as bloom add does, and say which they cannot take.
func TestNewRowsAsAdded(t *testing.T) {
	const body = `{"inputs":[{"name":"features","shape":[2,3],"datatype":"FP64","data":[1,2,3,0,-1,0]},` +
		`{"name":"edge_row","shape":[2],"datatype":"INT64","data":[0,1]},` +
		`{"name":"edge_to","shape":[2],"datatype":"BYTES","data":["n3","n4"]}]}`
	for _, recipe := range []string{"stack-laplace", "attention"} {
		dir := trainedOn(t, recipe, "csbm:nodes=80,features=3", "")
		task, err := node.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		with, err := task.Add(&dataset.Newcomers{IDs: []string{"a", "b"},
			Features: []dataset.Matrix{{Rows: 2, Cols: 3, Values: []mat.Real{1, 2, 3, 0, -1, 0}}},
			Edges:    []dgraph.Triple{{U: 80, V: 3}, {U: 81, V: 4}}})
		if err != nil {
			t.Fatal(err)
		}
		said, err := with.Predict()
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Collect(said.Last(2).Each)
		r := serving(t, Options{}, dir)
		out := r.inferred(recipe, body)
		p := values[float64](t, out["probabilities"])
		for i, class := range values[string](t, out["class"]) {
			one := want[i]
			at := one.Probabilities[task.Data.Labels.Names[0]]
			if class != one.Class || math.Abs(p[i*len(one.Probabilities)]-at) > 1e-6 {
				t.Errorf("%s: row %d is %q with %v, want %q with %g", recipe, i, class, p, one.Class, at)
			}
		}
		const odd = `{"inputs":[{"name":"features","shape":[1,2],"datatype":"FP64","data":[1,2]}]}`
		r.ask("/v2/models/"+recipe+"/infer", odd, 400, nil)
	}
	r := serving(t, Options{}, trainedOn(t, "lp-trained", "csbm:nodes=80,features=3", ""))
	r.ask("/v2/models/lp-trained/infer", body, 409, nil)
}
