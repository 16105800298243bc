package mat_test

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// One step of message passing on a path of three nodes, 0 – 1 – 2: every node takes the sum of its
// neighbours' features, times a matrix of weights, with a bias, and negative numbers cut off.
func Example() {
	x := mat.FromSlice(3, 2, []mat.Real{
		1, 0,
		0, 2,
		3, 1,
	})
	w := mat.FromSlice(2, 2, []mat.Real{
		1, -1,
		2, 0,
	})
	bias := mat.FromSlice(1, 2, []mat.Real{0.5, 1})
	// Row i of a pattern has the columns idx[ptr[i]:ptr[i+1]].
	path, err := mat.NewSparse(3, 3, []int64{0, 1, 3, 4}, []int32{1, 0, 2, 1})
	if err != nil {
		fmt.Println(err)
		return
	}

	sum, h := mat.New(3, 2), mat.New(3, 2)
	mat.SpMM(sum, path, false, nil, x, 1, 0) // sum ← A·x, all values of A being 1
	mat.MatMul(h, sum, w, mat.NN, 1, 0)      // h ← sum·w
	mat.Axpby(h, h, bias, 1, 1)              // h ← h + bias, repeated for every row, in place
	mat.Map(h, h, "relu", 0, 0)              // h ← max(h, 0)

	for i := range h.Rows() {
		fmt.Println(h.Slice()[i*h.Cols() : (i+1)*h.Cols()])
	}
	// Output:
	// [4.5 1]
	// [6.5 0]
	// [4.5 1]
}

// What comes from outside is refused with the place where it is wrong; a shape that does not fit is
// a mistake of the program.
func ExampleLoad() {
	zero := mat.Real(0)
	_, err := mat.Load(2, 2, []mat.Real{1, 2, 3, 1 / zero})
	fmt.Println(err)
	_, err = mat.Load(2, 2, []mat.Real{1, 2, 3})
	fmt.Println(err)

	defer func() { fmt.Println(recover()) }()
	mat.Copy(mat.New(2, 3), mat.New(3, 2))
	// Output:
	// row 1, column 1: +Inf is not a finite number
	// mat: 2×2 matrix from 3 numbers
	// mat: Copy: shape 2×3 where 3×2 is needed
}

// Gather picks rows by number, SegmentSum adds rows up by number: each is the derivative of the
// other.
func ExampleGather() {
	x := mat.FromSlice(3, 1, []mat.Real{10, 20, 30})
	idx, err := mat.NewIndex([]int32{2, 0, 0, 2}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, sums := mat.New(4, 1), mat.New(3, 1)
	mat.Gather(rows, x, idx)
	mat.SegmentSum(sums, rows, idx, 1, 0)
	fmt.Println(rows.Slice(), sums.Slice())
	// Output: [30 10 10 30] [20 0 60]
}

// A whole descent is one operation: twenty steps h ← max(0.5·h + 0.25·(A h) − 0.25·(h − p), 0) on a
// pair of nodes, from p. What they agree on lies between what they began with.
func ExampleDescend() {
	pair, err := mat.NewSparse(2, 2, []int64{0, 1, 2}, []int32{1, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	column := func(v mat.Real) *mat.Dense { return mat.FromSlice(2, 1, []mat.Real{v, v}) }
	d := mat.Descent{S: pair, Steps: 20, Kind: mat.StepKind{NonNeg: true}, A: column(0.5), B: column(0.25),
		C: column(-0.25)}
	p, h := mat.FromSlice(2, 1, []mat.Real{1, 0}), mat.New(2, 1)
	mat.Descend(h, nil, p, p, d)
	fmt.Printf("%.4f\n", h.Slice())
	// Output: [0.3750 0.1250]
}
