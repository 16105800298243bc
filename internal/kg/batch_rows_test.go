package kg

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// TestBatchRows: an entity keeps its row within a batch, all rows hold different entities, and the next batch starts
// from scratch.
func TestBatchRows(t *testing.T) {
	f := newBatchRows(5, 8)
	for _, batch := range [][]int32{{6, 2, 6, 7}, {0, 1, 2, 3, 4, 0}, {}} {
		f.reset()
		for _, v := range batch {
			if r := f.rowOf(v); f.list[r] != v {
				t.Errorf("entity %d has row %d of %v", v, r, f.list)
			}
		}
		if err := f.finish(); err != nil {
			t.Fatal(err)
		}
		if all := slices.Compact(slices.Sorted(slices.Values(f.list))); len(all) != 5 {
			t.Errorf("batch %v: rows hold %v", batch, f.list)
		}
	}
	if newBatchRows(9, 8).index.Len() != 8 {
		t.Error("more rows than entities")
	}
}

// optimizer moves params, of the first one the given rows alone.
func optimizer(t *testing.T, rule string, params []*ad.Param, rows *mat.Index) *optim.Optimizer {
	t.Helper()
	o, err := optim.New(optim.Config{Rule: rule}, params, rows)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestBatchRowsAreAll: moving the rows of a batch by Adagrad is moving all rows, where most derivatives are 0.
func TestBatchRowsAreAll(t *testing.T) {
	c := ways()["shared"]
	c.Dropout = 0
	g := smallGraph(t, 200, 3, 400)
	made, err := NewTrainer(c, g)
	if err != nil {
		t.Fatal(err)
	}
	tr := made.(*together)
	all := newModel(c.filled(), g)
	loss := tr.batcher.loss(tr.model.Config, read(tr.batcher, all.H.Var), all.E.Var, tr.clock)
	grads := ad.Grad(loss, all.H.Var, all.E.Var)
	prog := ad.Compile(grads...)
	params := []*ad.Param{all.H, all.E}
	opt, part := optimizer(t, "adagrad", params, nil), optimizer(t, "adagrad", tr.Params(), tr.Rows())
	for i := range 12 {
		if err := tr.Batch(1+i/tr.Batches(), i%tr.Batches()); err != nil {
			t.Fatal(err)
		}
		if err := prog.Run(); err != nil { // on the batch that is in place
			t.Fatal(err)
		}
		opt.Step([]*mat.Dense{prog.Value(grads[0]), prog.Value(grads[1])}, 0.05)
		part.Step(tr.Grads(), 0.05)
	}
	for i, p := range params {
		want := p.Value().Slice()
		for j, x := range tr.Params()[i].Value().Slice() {
			if math.Abs(float64(x-want[j])) > 1e-4 { // sums of other order, twelve times
				t.Fatalf("parameter %d, number %d: %v, want %v", i, j, x, want[j])
			}
		}
	}
}
