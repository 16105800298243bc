// Package mattest answers one question: does a mat.Device keep the contract of package mat?
//
//	func TestGPU(t *testing.T) { mattest.TestDevice(t, gpu.Open()) }
//
// Every method is compared with its formula, written as plain loops in float64, at random shapes
// that include empty ones. The suite builds all its matrices on the Device under test, which is the default device
// while it runs.
package mattest

import (
	"reflect"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// interfaces are what a Device must have, and may have.
var interfaces = []reflect.Type{
	reflect.TypeFor[mat.Device](), reflect.TypeFor[mat.Stepper](), reflect.TypeFor[mat.Descender](),
	reflect.TypeFor[mat.Normalizer](), reflect.TypeFor[mat.Turner](), reflect.TypeFor[mat.Recorder](),
	reflect.TypeFor[imaginary](), reflect.TypeFor[cutter](), reflect.TypeFor[mat.Crowd](), reflect.TypeFor[mat.Laned](),
}

// checks has one entry for every method of these interfaces, in their order.
var checks = []check{
	{"Name", checkName},
	{"Alloc", checkAlloc}, {"Free", checkFree}, {"Write", checkWrite}, {"Read", checkRead}, {"At", checkAt},
	{"Sync", checkSync}, {"Each", checkEach},
	{"Index", checkIndex}, {"UpdateIndex", checkUpdateIndex}, {"Pattern", checkPattern},
	{"UpdatePattern", checkUpdatePattern},
	{"Triples", checkTriples}, {"UpdateTriples", checkUpdateTriples},
	{"Groups", checkGroups}, {"UpdateGroups", checkUpdateGroups}, {"Seed", checkSeed}, {"UpdateSeed", checkUpdateSeed},
	{"Copy", checkCopy}, {"Fill", checkFill}, {"Uniform", checkUniform}, {"Normal", checkNormal},
	{"MatMul", checkMatMul}, {"GroupMatMul", checkGroupMatMul}, {"SpMM", checkSpMM}, {"SDDMM", checkSDDMM},
	{"Gather", checkGather}, {"Scatter", checkScatter}, {"SegmentSum", checkSegmentSum},
	{"RelMM", checkRelMM}, {"RelStats", checkRelStats}, {"RelStatsVJP", checkRelStatsVJP},
	{"Map", checkMap}, {"MapMul", checkMapMul}, {"Affine", checkAffine}, {"Axpby", checkAxpby},
	{"Mul", checkMul}, {"Maximum", checkMaximum}, {"GreaterMask", checkGreaterMask}, {"Expand", checkExpand},
	{"SumRows", checkSumRows}, {"SumCols", checkSumCols}, {"Sum", checkSum},
	{"RowDot", checkRowDot}, {"ColDot", checkColDot}, {"Dot", checkDot},
	{"Largest", checkLargest}, {"MarkNonFinite", checkMarkNonFinite}, {"FirstNonFinite", checkFirstNonFinite},
	{"Softmax", checkSoftmax}, {"CrossEntropy", checkCrossEntropy}, {"CrossEntropyGrad", checkCrossEntropyGrad},
	{"Dropout", checkDropout}, {"Adam", checkAdam},
	{"Transpose", checkTranspose}, {"CopyCols", checkCopyCols},
	{"Step", checkStep}, {"StepVJP", checkStepVJP},
	{"TapeLen", checkTapeLen}, {"Descend", checkDescend}, {"DescendVJP", checkDescendVJP},
	{"Norm", checkNorm}, {"NormVJP", checkNormVJP},
	{"MulComplex", checkMulComplex},
	{"ImComplex", checkImComplex},
	{"Cut", checkCut},
	{"AdamAll", checkAdamAll}, {"MarkAll", checkMarkAll},
	{"Record", checkRecord},
	{"Lane", checkLane},
}

// check holds one method of a Device to its contract.
type check struct {
	method string
	run    func(*suite)
}

// TestDevice fails t where dev breaks the contract of mat.Device. The laws are:
//
//   - every operation computes its formula, up to the rounding errors of any order of summation;
//   - it changes its destinations and nothing else: neither inputs nor memory behind a matrix;
//   - with β = 0, and wherever the formula does not name it, the old destination is not read;
//   - a destination may be an input where the comment of the operation in package mat says so;
//   - the same operation on the same numbers gives the same bits, for any mat.SetThreads.
//
// Methods of optional interfaces that dev does not have are skipped. It also fails when there is a method that the
// suite does not know.
func TestDevice(t *testing.T, dev mat.Device) {
	t.Helper()
	for _, m := range unknown() {
		t.Errorf("mattest has no check for the method %s of a Device", m)
	}
	for _, c := range checks {
		t.Run(c.method, func(t *testing.T) {
			if _, has := reflect.TypeOf(dev).MethodByName(c.method); !has {
				t.Skipf("%s does not have it", dev.Name())
			}
			c.test(t, dev)
		})
	}
}

// unknown lists the methods of a Device that no check covers.
func unknown() []string {
	known := map[string]bool{}
	for _, c := range checks {
		known[c.method] = true
	}
	var names []string
	for _, i := range interfaces {
		for m := range i.Methods() {
			if !known[m.Name] {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// test runs the check for several numbers of threads, which only the CPU heeds: all runs must give
// the same bits. Short tests leave out a run.
func (c check) test(t testing.TB, dev mat.Device) {
	t.Helper()
	defer mat.Use(mat.Default())
	mat.Use(dev)
	defer mat.SetThreads(mat.Threads())
	var first uint64
	counts := []int{1, 2, 8}
	if testing.Short() {
		counts = []int{1, 8}
	}
	for i, threads := range counts {
		mat.SetThreads(threads)
		s := newSuite(t, dev, c.method)
		s.again = i > 0
		c.run(s)
		if t.Failed() {
			return
		}
		switch {
		case i == 0:
			first = s.bits
		case s.bits != first:
			t.Fatalf("%s: run %d (%d threads on a CPU) gave other bits than run 1 (1 thread); seed %d", c.method, i+1,
				threads, seed)
		}
	}
}
