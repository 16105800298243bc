package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/bloomgml/bloom/internal/kernel"
)

// This file is the only one that looks past package mat at the kernels themselves: doctor has to
// report on and compare the sets of bodies that mat hides.

// setThreads makes the engine use n threads, 0 meaning all cores.
func setThreads(n int) { kernel.SetThreads(n) }

// engineInfo is what doctor tells about the engine.
type engineInfo struct {
	Active, Best      kernel.Level
	Threads, RealBits int
}

func engine() engineInfo {
	return engineInfo{kernel.Active(), kernel.Best(), kernel.Threads(), 8 * kernel.RealBytes}
}

// peakFMA is independent multiply-adds in GFLOP/s, two operations each.
func peakFMA(threads int, d time.Duration) float64 { return kernel.PeakFMA(threads, d) }

// readBandwidth is reading a buffer in sequence, in GB/s.
func readBandwidth(threads, bytes int, d time.Duration) float64 {
	return kernel.ReadBandwidth(threads, bytes, d) / 1e9
}

// number is what the kernels compute with.
type number = kernel.Real

// check computes something small with one kernel, always the same numbers with the known sum.
type check struct {
	name string
	sum  float64
	run  func() []number
}

// checks has one entry for each family of kernels with SIMD bodies.
var checks = []check{
	{"gemm", -117.764167, func() []number {
		a, b, c := checkMatrix(1), checkMatrix(2), checkNumbers(3, checkRows*checkRows)
		kernel.Gemm(false, true, checkRows, checkRows, checkCols, 0.5, a, checkCols, b, checkCols, 0.25, c, checkRows)
		return c
	}},
	{"spmm", 17.8100367, func() []number {
		a, dst := checkCSR(), checkMatrix(1)
		kernel.SpMM(dst, a, checkNumbers(2, a.NNZ()), checkNumbers(3, checkRows), checkMatrix(4), checkCols, 0.5, 0.25)
		return dst
	}},
	{"sddmm", 82.822373, func() []number {
		a := checkCSR()
		dst := kernel.Alloc(a.NNZ())
		kernel.SDDMM(dst, a, checkMatrix(1), checkMatrix(2), checkCols)
		return dst
	}},
	{"gather", -18.9010029, func() []number {
		idx := checkCSR().Idx
		dst := kernel.Alloc(len(idx) * checkCols)
		kernel.Gather(dst, checkMatrix(1), idx, checkCols)
		return dst
	}},
	{"rel", 19526.4796, func() []number {
		a, dst := checkCSR(), checkMatrix(1)
		x, y := checkMatrix(2), checkMatrix(3)
		kernel.RelMM(dst, a, checkCSR().Idx, x, y, checkCols, 1)
		s := kernel.RelStats{Sum: checkMatrix(4), Square: checkMatrix(4), Max: checkMatrix(4), Min: checkMatrix(4),
			ArgMax: checkMatrix(4), ArgMin: checkMatrix(4)}
		for _, s.Plus = range []bool{false, true} {
			s.Compute(a, checkCSR().Idx, x, y, checkCols)
			dm := kernel.Alloc(a.NNZ() * checkCols)
			s.Adjoint(dm, a, checkCSR().Idx, x, y, checkCols)
			dst = append(append(append(dst, s.Square...), s.Max...), dm...)
		}
		return dst
	}},
	{"step", 1037.75899, func() []number {
		dst, kind := checkMatrix(1), kernel.StepKind{Phi: kernel.PhiHuber, T: 0.5, NonNeg: true}
		a, b, c := checkNumbers(2, checkRows), checkNumbers(3, checkRows), checkNumbers(4, checkRows)
		kernel.Step(dst, dst, checkMatrix(5), checkMatrix(6), a, b, c, checkRows, checkCols, kind)
		return dst
	}},
	{"map", 1867.4172, func() []number {
		dst := checkMatrix(1)
		for _, f := range []kernel.Func{kernel.Exp, kernel.LogCosh, kernel.Tanh, kernel.Sigmoid, kernel.Softplus,
			kernel.Huber} {
			kernel.Map(dst, dst, f, 0, 0.5)
		}
		return dst
	}},
	{"axpby", 39.6773218, func() []number {
		dst := checkMatrix(1)
		kernel.Axpby(dst, dst, checkNumbers(2, checkCols), checkRows, checkCols, kernel.ByRow, 0.5, 0.25)
		return dst
	}},
	{"sum", -60.2704549, func() []number {
		dst := kernel.Alloc(checkRows + checkCols)
		kernel.SumCols(dst[:checkRows], checkMatrix(1), checkRows, checkCols)
		kernel.SumRows(dst[checkRows:], checkMatrix(2), checkRows, checkCols)
		return dst
	}},
	{"softmax", -21166.4954, func() []number {
		dst := checkMatrix(1)
		kernel.LogSoftmax(dst, dst, checkRows, checkCols)
		return dst
	}},
	{"dropout", 19.3112118, func() []number {
		dst := checkMatrix(1)
		kernel.Dropout(dst, dst, 0.5, 2)
		return dst
	}},
	{"adam", -21.2571285, func() []number {
		w, v := checkMatrix(1), checkMatrix(2)
		kernel.Map(v, v, kernel.Square, 0, 0)
		c := kernel.AdamConfig{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-3, Decay: 0.01}
		kernel.Adam(w, checkMatrix(3), v, checkMatrix(4), c, 100)
		return w
	}},
}

// Shapes of the checks: whole SIMD blocks and a rest.
const checkRows, checkCols = 61, 77

// checkNumbers are n numbers in (−1, 1).
func checkNumbers(seed uint64, n int) []number {
	r := rand.New(rand.NewPCG(seed, 0))
	x := kernel.Alloc(n)
	for i := range x {
		x[i] = number(2*r.Float64() - 1)
	}
	return x
}

// checkMatrix is a matrix of the shape of the checks.
func checkMatrix(seed uint64) []number { return checkNumbers(seed, checkRows*checkCols) }

// checkCSR is a square pattern with 0 to 9 entries a row.
func checkCSR() *kernel.CSR {
	r := rand.New(rand.NewPCG(8, 0))
	ptr, idx := []int64{0}, []int32{}
	for i := range checkRows {
		for range i % 10 {
			idx = append(idx, r.Int32N(checkRows))
		}
		ptr = append(ptr, int64(len(idx)))
	}
	a, err := kernel.NewCSR(checkRows, checkRows, ptr, idx, nil)
	if err != nil {
		panic(err)
	}
	return a
}

// levelResult is the outcome of the self test for one set of bodies.
type levelResult struct {
	Level  string `json:"level"`
	Checks int    `json:"checks"`
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"` // the first check that failed, and where
}

// selfTest runs the checks with every set of bodies that this build and CPU have.
func selfTest(checks []check) []levelResult {
	var results []levelResult
	for level := kernel.Portable; level <= kernel.Best(); level++ {
		res := levelResult{Level: level.String(), Checks: len(checks), OK: true}
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
func (c check) test(level kernel.Level) error {
	const tolerance, sumTolerance = 1e-5, 1e-3
	want := c.at(kernel.Portable)
	if level == kernel.Portable {
		if sum := total(want); !(math.Abs(sum-c.sum) <= sumTolerance) {
			return fmt.Errorf("%s: the numbers add up to %.9g, want %.9g", c.name, sum, c.sum)
		}
		return nil
	}
	got := c.at(level)
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= tolerance) { // also when one is NaN
			return fmt.Errorf("%s: number %d is %g, portable gives %g", c.name, i, got[i], want[i])
		}
	}
	return nil
}

// at runs the check with the bodies of a level.
func (c check) at(level kernel.Level) []number {
	defer kernel.Use(level)()
	return c.run()
}

func total(x []number) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}
