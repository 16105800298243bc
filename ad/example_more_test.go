package ad_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// A product of the derivative with a cotangent is an expression again; Stop hides a part from it.
func ExampleVJP() {
	x := ad.Input(mat.FromSlice(1, 2, []mat.Real{1, 3}))
	y := x.Square()
	g := ad.Fill(y.Shape(), 10)
	fmt.Println(ad.Eval(ad.VJP(y, g, x)[0]).Slice())

	half := ad.Stop(x).Mul(x) // x·x of which one factor counts as a constant
	fmt.Println(ad.Eval(ad.VJP(half, g, x)[0]).Slice())
	// Output:
	// [20 60]
	// [10 30]
}

// Columns stand side by side.
func ExampleConcat() {
	fmt.Println(ad.Eval(ad.Concat(ad.Eye(2), ad.Fill(mat.Shape{Rows: 2, Cols: 1}, 0))).Slice())
	// Output: [1 0 0 0 1 0]
}

// Sparse patterns propagate rows, to targets or back, with weights or without.
func ExamplePropagate() {
	s, err := mat.NewSparse(2, 3, []int64{0, 1, 3}, []int32{2, 0, 1}) // row 0 takes node 2, row 1 takes 0 and 1
	if err != nil {
		panic(err)
	}
	h := ad.Const(mat.FromSlice(3, 1, []mat.Real{1, 2, 4}))
	w := ad.Const(mat.FromSlice(3, 1, []mat.Real{10, 1, 1}))
	sums := ad.Propagate(s, ad.Var{}, h)
	fmt.Println(ad.Eval(sums).Slice(), ad.Eval(ad.PropagateT(s, ad.Var{}, sums)).Slice())
	fmt.Println(ad.Eval(ad.Propagate(s, w, h)).Slice(), ad.Eval(ad.PropagateT(s, w, sums)).Slice())
	// Output:
	// [4 3] [3 3 4]
	// [40 3] [3 3 40]
}

// Edges (target, source, relation) add up what they send, or give its largest and smallest, with products as messages
// or sums.
func ExampleRelStats() {
	edges, err := mat.NewTriples([3]int{1, 2, 2}, [3][]int32{{0, 0}, {0, 1}, {0, 1}})
	if err != nil {
		panic(err)
	}
	h := ad.Const(mat.FromSlice(2, 1, []mat.Real{1, 2}))
	e := ad.Const(mat.FromSlice(2, 1, []mat.Real{10, 20}))
	times, plus := ad.RelStats(edges, h, e, false), ad.RelStats(edges, h, e, true)
	fmt.Println(ad.Eval(ad.RelSum(edges, 0, h, e)).Slice(), ad.Eval(times.Sum).Slice(), ad.Eval(times.Max).Slice())
	fmt.Println(ad.Eval(plus.Sum).Slice(), ad.Eval(plus.Max).Slice(), ad.Eval(plus.Min).Slice())
	// Output:
	// [50] [50] [40]
	// [33] [22] [11]
}

// Programs that run one after the other share memory.
func ExampleCompileIn() {
	x, arena := ad.Const(mat.FromSlice(1, 3, []mat.Real{1, 2, 3})), &ad.Arena{}
	w := ad.NewParam("w", mat.FromSlice(1, 3, []mat.Real{1, 1, 2}))
	sum, most := x.Mul(w.Var).Sum(), x.Add(w.Var).Square().Sum()
	first, second := ad.CompileIn(arena, sum), ad.CompileIn(arena, most)
	for _, p := range []*ad.Program{first, second} {
		if err := p.Run(); err != nil {
			panic(err)
		}
	}
	fmt.Println(second.Value(most).Item(), second.Bytes() == arena.Bytes())
	// Output: 38 true
}
