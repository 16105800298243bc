package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Number is the number type of the kernels.
type Number = kernel.Real

// Check computes something small with one kernel, always the same numbers with the known sum.
type Check struct {
	Name string
	Sum  float64
	Run  func() []Number
}

// checks has one entry for each family of kernels with SIMD bodies.
var checks = []Check{
	{"gemm", -117.764167, func() []Number {
		a, b, c := matrix(1), matrix(2), numbers(3, rows*rows)
		kernel.Gemm(false, true, rows, rows, cols, 0.5, a, cols, b, cols, 0.25, c, rows)
		return c
	}},
	{"spmm", 17.8100367, func() []Number {
		a, dst := pattern(), matrix(1)
		kernel.SpMM(dst, a, numbers(2, a.NNZ()), numbers(3, rows), matrix(4), cols, 0.5, 0.25)
		return dst
	}},
	{"sddmm", 82.822373, func() []Number {
		a := pattern()
		dst := kernel.Alloc(a.NNZ())
		kernel.SDDMM(dst, a, matrix(1), matrix(2), cols)
		return dst
	}},
	{"gather", -18.9010029, func() []Number {
		idx := pattern().Idx
		dst := kernel.Alloc(len(idx) * cols)
		kernel.Gather(dst, matrix(1), idx, cols)
		return dst
	}},
	{"rel", 19526.4796, func() []Number {
		a, dst := pattern(), matrix(1)
		x, y := matrix(2), matrix(3)
		kernel.RelMM(dst, a, pattern().Idx, x, y, cols, 1)
		s := kernel.RelStats{Sum: matrix(4), Square: matrix(4), Max: matrix(4), Min: matrix(4),
			ArgMax: matrix(4), ArgMin: matrix(4)}
		for _, s.Plus = range []bool{false, true} {
			s.Compute(a, pattern().Idx, x, y, cols)
			dm := kernel.Alloc(a.NNZ() * cols)
			s.Adjoint(dm, a, pattern().Idx, x, y, cols)
			dst = append(append(append(dst, s.Square...), s.Max...), dm...)
		}
		return dst
	}},
	{"step", 1037.75899, func() []Number {
		dst, kind := matrix(1), kernel.StepKind{Phi: kernel.PhiHuber, T: 0.5, NonNeg: true}
		a, b, c := numbers(2, rows), numbers(3, rows), numbers(4, rows)
		kernel.Step(dst, dst, matrix(5), matrix(6), a, b, c, rows, cols, kind)
		return dst
	}},
	{"map", 1867.4172, func() []Number {
		dst := matrix(1)
		for _, f := range []kernel.Func{kernel.Exp, kernel.LogCosh, kernel.Tanh, kernel.Sigmoid, kernel.Softplus,
			kernel.Huber} {
			kernel.Map(dst, dst, f, 0, 0.5)
		}
		return dst
	}},
	{"axpby", 39.6773218, func() []Number {
		dst := matrix(1)
		kernel.Axpby(dst, dst, numbers(2, cols), rows, cols, kernel.ByRow, 0.5, 0.25)
		return dst
	}},
	{"sum", -60.2704549, func() []Number {
		dst := kernel.Alloc(rows + cols)
		kernel.SumCols(dst[:rows], matrix(1), rows, cols)
		kernel.SumRows(dst[rows:], matrix(2), rows, cols)
		return dst
	}},
	{"softmax", -21166.4954, func() []Number {
		dst := matrix(1)
		kernel.LogSoftmax(dst, dst, rows, cols)
		return dst
	}},
	{"dropout", 19.3112118, func() []Number {
		dst := matrix(1)
		kernel.Dropout(dst, dst, 0, 0.5, 2)
		return dst
	}},
	{"adam", -21.2571285, func() []Number {
		w, v := matrix(1), matrix(2)
		kernel.Map(v, v, kernel.Square, 0, 0)
		c := kernel.AdamConfig{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-3, Decay: 0.01}
		kernel.Adam(w, matrix(3), v, matrix(4), c, 100)
		return w
	}},
}

// Shapes of the checks: whole SIMD blocks and a rest.
const rows, cols = 61, 77

// numbers returns n numbers in (−1, 1).
func numbers(seed uint64, n int) []Number {
	r := rand.New(rand.NewPCG(seed, 0))
	x := kernel.Alloc(n)
	for i := range x {
		x[i] = Number(2*r.Float64() - 1)
	}
	return x
}

// matrix returns a matrix of the shape of the checks.
func matrix(seed uint64) []Number { return numbers(seed, rows*cols) }

// pattern returns a square pattern with 0 to 9 entries a row.
func pattern() *kernel.CSR {
	r := rand.New(rand.NewPCG(8, 0))
	ptr, idx := []int64{0}, []int32{}
	for i := range rows {
		for range i % 10 {
			idx = append(idx, r.Int32N(rows))
		}
		ptr = append(ptr, int64(len(idx)))
	}
	a, err := kernel.NewCSR(rows, rows, ptr, idx, nil)
	must(err)
	return a
}

// Kernels returns the set of bodies that this processor gets.
func Kernels() string { return kernel.Active().String() }

// LevelResult is the outcome of the self test for one set of bodies.
type LevelResult struct {
	Level  string `json:"level"`
	Checks int    `json:"checks"`
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"` // the first check that failed, and where
}

// selfTest runs the checks with every set of bodies that this build and CPU have.
func selfTest(checks []Check) []LevelResult {
	var results []LevelResult
	for level := kernel.Portable; level <= kernel.Best(); level++ {
		res := LevelResult{Level: level.String(), Checks: len(checks), OK: true}
		for _, c := range checks {
			if err := c.test(level); err != nil && res.OK {
				res.OK, res.Error = false, err.Error()
			}
		}
		results = append(results, res)
	}
	return results
}

// test compares the sum of the portable result with the known one, or the result of another level
// with the portable one.
//
// Tolerances: sums of up to 100 products of numbers below 1 that are added in another order move
// by about 100 · 2⁻²⁴ each; in double precision the inputs themselves move by 2⁻²⁵.
func (c Check) test(level kernel.Level) error {
	const tolerance, sumTolerance = 1e-5, 1e-3
	want := c.runAt(kernel.Portable)
	if level == kernel.Portable {
		if sum := total(want); !(math.Abs(sum-c.Sum) <= sumTolerance) {
			return fmt.Errorf("%s: the numbers add up to %.9g, want %.9g", c.Name, sum, c.Sum)
		}
		return nil
	}
	got := c.runAt(level)
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= tolerance) { // also when one is NaN
			return fmt.Errorf("%s: number %d is %g, portable gives %g", c.Name, i, got[i], want[i])
		}
	}
	return nil
}

// runAt runs the check with the bodies of a level.
func (c Check) runAt(level kernel.Level) []Number {
	defer kernel.Use(level)()
	return c.Run()
}

func total(x []Number) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}
