package node

import (
	"context"
	"math"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
)

// trainedShares is a run on a small graph with four columns.
func trainedShares(t *testing.T, recipe string, set ...string) *Task {
	t.Helper()
	const ref = "csbm:nodes=80,features=4,degree=6,seed=2"
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Recipe: recipe, Data: ref, Suited: config.Choice{Catalogue: d.Name},
		Set: append([]string{"train.epochs=10"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), *c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Of(r)
}

// TestAddUp: where π is linear and κ quadratic, the pulls of columns add up to that of the row less that of a usual
// row.
func TestAddUp(t *testing.T) {
	task := trainedShares(t, "base", "model.before=1")
	in, err := task.Inspect(0)
	if err != nil {
		t.Fatal(err)
	}
	usual := dataset.Matrix{Rows: 1, Cols: 4}
	for _, c := range task.Columns() {
		usual.Values = append(usual.Values, mat.Real(c.Usual))
	}
	pi, err := task.Project(0, usual)
	if err != nil {
		t.Fatal(err)
	}
	for v := range int32(20) {
		list, err := task.NodeShares(in, v)
		_, plain, err2 := in.Own(v, pi)
		if err != nil || err2 != nil || len(list) != 4 {
			t.Fatal(list, err, err2)
		}
		sum, want := 0.0, in.Node(v).OwnPull-plain[0]
		for _, c := range list {
			sum += c.Pull
		}
		if math.Abs(sum-want) > 1e-4*(1+math.Abs(want)) { // single precision
			t.Errorf("node %d: columns pull by %v, the row less a usual one by %v", v, sum, want)
		}
	}
}

// TestLeftOut: of any π and κ a column has what is left out with it, also of a row that was spoilt; the first pulls
// most. A stack of levels has none.
func TestLeftOut(t *testing.T) {
	task := trainedShares(t, "robust", "model.before=2", "model.hidden=8", "data.corrupt=rows=0.2,scale=5")
	in, err := task.Inspect(0)
	if err != nil {
		t.Fatal(err)
	}
	v := task.Data.Corrupted[0]
	list, err := task.NodeShares(in, v)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for i, c := range list {
		row := make([]mat.Real, 4)
		task.Data.Features[0].Row(row, int(v))
		if c.Value != float64(row[c.Number]) || i > 0 && math.Abs(c.Pull) > math.Abs(list[i-1].Pull) {
			t.Errorf("%+v after %+v, the row is %v", c, list[max(0, i-1)], row)
		}
		row[c.Number] = mat.Real(c.Usual)
		pi, err := task.Project(0, dataset.Matrix{Rows: 1, Cols: 4, Values: row})
		if err != nil {
			t.Fatal(err)
		}
		costs, pulls, err := in.Own(v, pi)
		x := in.Node(v)
		if err != nil || math.Abs(x.Own-costs[0]-c.Energy) > 1e-3 || math.Abs(x.OwnPull-pulls[0]-c.Pull) > 1e-3 {
			t.Errorf("%+v, without it %v and %v, with it %v and %v", c, costs, pulls, x.Own, x.OwnPull)
		}
	}
	stack := trainedShares(t, "base", "stack.levels=2", "model.hidden=8")
	if in, err = stack.Inspect(0); err != nil {
		t.Fatal(err)
	}
	if list, err := stack.NodeShares(in, 3); err != nil || list != nil {
		t.Errorf("a stack: %v, %v", list, err)
	}
}
