package mat_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// calls is one call of every operation on rows×cols matrices. Destinations are on the default device, and of every call
// at least one input is on from.
func calls(rows, cols int, from mat.Device) map[string]func() {
	y, z, pairs := mat.NewOn(from, rows, cols), mat.NewOn(from, rows, cols), mat.NewOn(from, rows, 2)
	x, row, col, one := m(rows, cols), m(1, cols), m(rows, 1), m(1, 1)
	mat.Uniform(y, 0.1, 1, 1)
	seed, adam := mat.NewSeed(), mat.AdamConfig{Rate: 0.1, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}
	idx, labels, s := index(rows, rows), index(rows, cols), path(rows)
	pick, both := index(1, rows), []*mat.Dense{y, z}
	d := mat.Descent{S: s, Steps: 3, Kind: mat.StepKind{Phi: mat.PhiHuber, T: 1, NonNeg: true}, A: col, B: col, C: col}
	tape, values := m(d.TapeShape(x.Shape()).Rows, 1), m(s.NNZ(), 1)
	square, flip, two := m(cols, cols), m(cols, rows), m(rows, 2)
	groups, squares, three := mat.NewGroups(rows/3, 0, rows-rows/3), m(3*cols, cols), m(3, cols)
	ids, repeated := make([]int32, rows), index(2, rows)
	batch, entries := mat.NewBatchIndex(rows, rows), mat.NewBatchSparse(rows, rows, 1)
	finite := m(rows, cols) // a matrix of its own: others are written by the operations before
	all := map[string]func(){
		"Copy": func() { mat.Copy(x, y) }, "Fill": func() { mat.Fill(x, 1) },
		"Uniform": func() { mat.Uniform(x, 0, 1, 1) }, "Normal": func() { mat.Normal(x, 0, 1, 1) },
		"MatMul": func() { mat.MatMul(square, x, y, mat.TN, 1, 0) },
		"SpMM":   func() { mat.SpMM(x, s, true, values, y, 1, 0) }, "SDDMM": func() { mat.SDDMM(values, s, x, y) },
		"GroupMatMul": func() { mat.GroupMatMul(squares, groups, x, y, mat.TN, 0) },
		"MulComplex":  func() { mat.MulComplex(two, pairs, pairs, true, false) },
		"Norm":        func() { mat.Norm(x, y, row, row, row, 0.1, 0, true) },
		"NormVJP":     func() { mat.NormVJP(x, three, y, z, row, row, row, 0.1, 0) },
		"BatchIndex":  func() { _ = batch.Update(ids) }, "BatchSparse": func() { _ = entries.Update(ids) },
		"Gather": func() { mat.Gather(x, y, idx) }, "Scatter": func() { mat.Scatter(x, y, idx) },
		"SegmentSum": func() { mat.SegmentSum(x, y, idx, 1, 0) },
		"Map":        func() { mat.Map(x, y, "tanh", 0, 0) },
		"MapMul":     func() { mat.MapMul(x, y, y, "tanh", 1, 0) },
		"Affine":     func() { mat.Affine(x, y, 2, 1) }, "Axpby": func() { mat.Axpby(x, y, row, 1, 1) },
		"Mul": func() { mat.Mul(x, y, col, 1, false) }, "MulAdd": func() { mat.Mul(x, y, z, 1, true) },
		"Maximum": func() { mat.Maximum(x, y, z, false) }, "Minimum": func() { mat.Maximum(x, y, z, true) },
		"GreaterMask": func() { mat.GreaterMask(x, y, z, y) }, "Expand": func() { mat.Expand(x, y) },
		"SumRows": func() { mat.SumRows(row, y) }, "SumCols": func() { mat.SumCols(col, y) },
		"RowDot": func() { mat.RowDot(col, x, y) }, "ColDot": func() { mat.ColDot(row, x, y) },
		"Sum": func() { mat.Sum(one, y) }, "Dot": func() { mat.Dot(one, x, y) },
		"Largest": func() { mat.Largest(one, y) }, "MarkNonFinite": func() { mat.MarkNonFinite(one, y, 1) },
		"MarkAll": func() { mat.MarkAll(one, both) },
		"Seed":    func() { seed.Set(5) }, "CheckFinite": func() { _ = finite.CheckFinite() },
		"Softmax": func() { mat.Softmax(x, y, false) }, "LogSoftmax": func() { mat.Softmax(x, y, true) },
		"CrossEntropy":     func() { mat.CrossEntropy(one, y, labels, nil) },
		"CrossEntropyGrad": func() { mat.CrossEntropyGrad(x, y, labels, pick) },
		"repeated rows":    func() { mat.CrossEntropyGrad(x, y, labels, repeated) },
		"Dropout":          func() { mat.Dropout(x, y, 0.5, seed, 1) },
		"Adam":             func() { mat.Adam(x, y, z, y, adam, 1) },
		"Transpose":        func() { mat.Transpose(flip, y) },
		"CopyCols":         func() { mat.CopyCols(x, y, 0, 1, 1) },
		"Step":             func() { mat.Step(x, y, z, y, col, col, col, d.Kind) },
		"StepVJP":          func() { mat.StepVJP(x, z, nil, y, y, y, y, col, col, col, d.Kind) },
		"Descend":          func() { mat.Descend(x, tape, y, y, d) },
		"DescendVJP":       func() { mat.DescendVJP(x, z, y, tape, d) },
		"Read and Write": func() {
			buf := numbers[:x.Len()]
			x.Read(buf)
			x.Write(buf)
		},
		"Item": func() { _ = one.Item() },
	}
	maps.Copy(all, tripleCalls(y, z))
	return all
}

// tripleCalls is one call of every operation on triples, with the inputs y and z.
func tripleCalls(y, z *mat.Dense) map[string]func() {
	rows, cols := y.Rows(), y.Cols()
	x, w := m(rows, cols), m(rows, cols)
	list := triples([3]int{rows, rows, rows}, rows)
	stats := mat.RelStatistics{Sum: m(rows, cols), Square: m(rows, cols), Max: m(rows, cols), Min: m(rows, cols),
		ArgMax: m(rows, cols), ArgMin: m(rows, cols)}
	return map[string]func(){
		"RelMM":       func() { mat.RelMM(x, list, 0, y, z, 0) },
		"RelStats":    func() { mat.RelStats(stats, list, y, y) },
		"RelStatsVJP": func() { mat.RelStatsVJP(w, stats, list, y, y) },
	}
}

var numbers [1 << 16]mat.Real

// TestNothingAllocates: no operation allocates on the CPU once it has run, neither where it is one
// piece nor where it is cut into several.
func TestNothingAllocates(t *testing.T) {
	for _, shape := range []mat.Shape{{Rows: 12, Cols: 7}, {Rows: 900, Cols: 70}} {
		all := calls(shape.Rows, shape.Cols, mat.CPU)
		for name, call := range all {
			for range 10 { // until as many threads as there are have met, each with buffers of its own
				call()
			}
			if n := testing.AllocsPerRun(20, call); n != 0 {
				t.Errorf("%s of %v: %v allocations, want 0", name, shape, n)
			}
		}
		for _, name := range operations(t) {
			if all[name] == nil {
				t.Errorf("the allocations of %s are not tested", name)
			}
		}
	}
}

// TestTwoDevices: operands of two devices are refused with the names of both; Copy alone brings numbers from one to the
// other.
func TestTwoDevices(t *testing.T) {
	all := calls(6, 4, renamed{mat.CPU})
	for _, name := range operations(t) {
		got := panicked(all[name])
		switch name {
		case "Fill", "Uniform", "Normal", "Copy":
			if got != nil {
				t.Errorf("%s panics with %v", name, got)
			}
			continue
		}
		if want := fmt.Sprintf("mat: %s: operands on the devices ", name); !strings.HasPrefix(fmt.Sprint(got), want) ||
			!strings.Contains(fmt.Sprint(got), "cpu") || !strings.Contains(fmt.Sprint(got), "other") {
			t.Errorf("%s of two devices: %v", name, got)
		}
	}
}

// TestLists: so are lists of another device.
func TestLists(t *testing.T) {
	mat.Use(renamed{mat.CPU})
	idx, s, seed, groups, list := index(2, 2), path(2), mat.NewSeed(), mat.NewGroups(2), triples([3]int{2, 2, 2}, 2)
	mat.Use(mat.CPU)
	x, y, one := m(2, 2), m(2, 2), m(1, 1)
	for name, call := range map[string]func(){
		"Gather": func() { mat.Gather(x, y, idx) }, "Scatter": func() { mat.Scatter(x, y, idx) },
		"SegmentSum":   func() { mat.SegmentSum(x, y, idx, 1, 0) },
		"SpMM":         func() { mat.SpMM(x, s, false, nil, y, 1, 0) },
		"SDDMM":        func() { mat.SDDMM(m(s.NNZ(), 1), s, x, y) },
		"GroupMatMul":  func() { mat.GroupMatMul(x, groups, y, y, mat.NN, 0) },
		"RelMM":        func() { mat.RelMM(x, list, 0, y, y, 0) },
		"Dropout":      func() { mat.Dropout(x, y, 0.5, seed, 1) },
		"CrossEntropy": func() { mat.CrossEntropy(one, x, idx, nil) },
	} {
		if got := fmt.Sprint(panicked(call)); got != "mat: "+name+": operands on the devices cpu and other" {
			t.Errorf("%s with a list of another device: %v", name, got)
		}
	}
}

// TestPlainDevice: a device without fused operations says so.
func TestPlainDevice(t *testing.T) {
	mat.Use(renamed{mat.CPU})
	defer mat.Use(mat.CPU)
	x, col := m(2, 2), m(2, 1)
	got := panicked(func() { mat.Step(x, x, x, x, col, col, col, mat.StepKind{}) })
	if got != "mat: Step: the device other does not have it" {
		t.Error(got)
	}
}
