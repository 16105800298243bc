package input_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// TestDropRows: rows are kept, and doubled, or dropped as a whole, sparse ones as dense ones; twice is both.
func TestDropRows(t *testing.T) {
	s, val, dense := sparse(t)
	for seed := range uint64(8) {
		c := input.Training(&ad.Clock{Seed: seed})
		drop := func(x input.Features) []mat.Real {
			return ad.Eval(x.DropRows(c, 0.5, "a").DropRows(c, 0.5, "b").Var()).Slice()
		}
		got, all := drop(input.Sparse(s, val)), dense.Slice()
		if !slices.Equal(got, drop(input.Dense(dense))) {
			t.Fatalf("seed %d: sparse and dense rows differ", seed)
		}
		for i := 0; i < len(all); i += 5 {
			four := make([]mat.Real, 5)
			for j, v := range all[i : i+5] {
				four[j] = 4 * v
			}
			if row := got[i : i+5]; !slices.Equal(row, four) && slices.ContainsFunc(row, isNot0) {
				t.Errorf("seed %d: row %v of %v", seed, row, all[i:i+5])
			}
		}
	}
	whole := input.Sparse(s, val).DropRows(input.Evaluation(), 0.5, "a").Var()
	if d := differ(whole, ad.Const(dense)); d > tolerance {
		t.Errorf("evaluation drops rows: %v", d)
	}
}

func isNot0(v mat.Real) bool { return v != 0 }

// A node that loses its features loses all of them; the others are scaled up, so that the mean stays.
func ExampleFeatures_DropRows() {
	x := input.Dense(mat.FromSlice(4, 2, []mat.Real{1, 2, 3, 4, 5, 6, 7, 8}))
	dropped := x.DropRows(input.Training(&ad.Clock{Seed: 1}), 0.5, "rows")
	fmt.Println(ad.Eval(dropped.Var()).Slice())
	// Output: [2 4 0 0 10 12 14 16]
}
