package ad_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// triples have a target without edges, a source without edges, two equal triples and one relation
// that nobody uses. Their order is not that of the targets.
func triples(t testing.TB) *mat.Triples {
	list, err := mat.NewTriples([3]int{4, 5, 3}, [3][]int32{
		{3, 0, 1, 0, 3, 3, 1, 0}, {0, 1, 2, 3, 3, 0, 0, 1}, {1, 0, 0, 1, 1, 1, 0, 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRelSumDerivatives(t *testing.T) {
	list := triples(t)
	for to, rows := range [3][2]int{{5, 3}, {4, 3}, {4, 5}} {
		testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return ad.RelSum(list, to, xs[0], xs[1]).Square() },
			uniform(rows[0], 3, -1, 1, 70), uniform(rows[1], 3, -1, 1, 71))
	}
}

// TestRelSumIsDefinition compares with one row per triple.
func TestRelSumIsDefinition(t *testing.T) {
	list := triples(t)
	x, y := ad.Const(uniform(5, 3, -1, 1, 72)), ad.Const(uniform(3, 3, -1, 1, 73))
	m := ad.RelSum(list.Numbered(), 0, x, y)
	sum, rows := ad.RelSum(list, 0, x, y), m.SegmentSum(list.First())
	prog := ad.Compile(sum, rows)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	got, want := prog.Value(sum).Slice(), prog.Value(rows).Slice()
	for i := range want {
		if d := got[i] - want[i]; d > 1e-6 || d < -1e-6 { // a few roundings of numbers near 1
			t.Errorf("entry %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestRelStatsDerivatives(t *testing.T) {
	list := triples(t)
	for name, f := range map[string]func(ad.RelStatistics) ad.Var{
		"sum":    func(s ad.RelStatistics) ad.Var { return s.Sum.Square() },
		"square": func(s ad.RelStatistics) ad.Var { return s.Square.Tanh() },
		"max":    func(s ad.RelStatistics) ad.Var { return s.Max.Square() },
		"min":    func(s ad.RelStatistics) ad.Var { return s.Min.Tanh() },
		"all": func(s ad.RelStatistics) ad.Var {
			return s.Sum.Mul(s.Max).Add(s.Square.Mul(s.Min)).Add(s.Max.Tanh())
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, plus := range []bool{false, true} {
				testkit.Derivatives(t, func(xs []ad.Var) ad.Var { return f(ad.RelStats(list, xs[0], xs[1], plus)) },
					uniform(5, 3, -1, 1, 74), uniform(3, 3, -1, 1, 75))
			}
		})
	}
}

// TestBatchesChangeBetweenRuns runs one program with lists that are refilled: also what reads constants
// alone must follow.
func TestBatchesChangeBetweenRuns(t *testing.T) {
	table := ad.Const(mat.FromSlice(4, 1, []mat.Real{1, 10, 100, 1000}))
	idx, pattern := mat.NewBatchIndex(2, 4), mat.NewBatchSparse(2, 4, 2)
	picked, sums := table.Gather(idx), ad.Propagate(pattern, ad.Var{}, table)
	back := picked.SegmentSum(idx)
	prog := ad.Compile(picked, sums, back)
	for _, c := range []struct {
		ids, cols          []int32
		picked, sums, back []mat.Real
	}{
		{[]int32{1, 1}, []int32{0, 1, 2, 3}, []mat.Real{10, 10}, []mat.Real{11, 1100}, []mat.Real{0, 20, 0, 0}},
		{[]int32{3, 0}, []int32{3, 3, 0, 3}, []mat.Real{1000, 1}, []mat.Real{2000, 1001}, []mat.Real{1, 0, 0, 1000}},
	} {
		if err := idx.Update(c.ids); err != nil {
			t.Fatal(err)
		}
		if err := pattern.Update(c.cols); err != nil {
			t.Fatal(err)
		}
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		for v, want := range map[ad.Var][]mat.Real{picked: c.picked, sums: c.sums, back: c.back} {
			for i, got := range prog.Value(v).Slice() {
				if got != want[i] {
					t.Errorf("ids %v: entry %d is %v, want %v", c.ids, i, got, want[i])
				}
			}
		}
	}
}

// TestNormDerivatives keeps u away from the kink at 0 by a large shift of either sign.
func TestNormDerivatives(t *testing.T) {
	shift := mat.FromSlice(1, 4, []mat.Real{3, -3, 3.5, 4})
	for _, relu := range []bool{true, false} {
		testkit.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].Norm(v[1], v[2], v[3], 1e-5, relu).Square() },
			uniform(5, 4, -1, 1, 80), uniform(1, 4, -1, 1, 81), uniform(1, 4, 0.5, 1, 82), shift)
	}
}

func TestGroupMatMulDerivatives(t *testing.T) {
	groups := mat.NewGroups(2, 0, 3)
	testkit.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].GroupMatMul(groups, v[1], mat.NN).Square() },
		uniform(5, 3, -1, 1, 84), uniform(9, 2, -1, 1, 85))
}
