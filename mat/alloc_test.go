package mat_test

import (
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// calls is one call of every operation on rows×cols matrices.
func calls(rows, cols int) map[string]func() {
	x, y, z := m(rows, cols), m(rows, cols), m(rows, cols)
	row, col, one := m(1, cols), m(rows, 1), m(1, 1)
	mat.Uniform(y, 0.1, 1, 1)
	idx, labels, s := index(rows, rows), index(rows, cols), path(rows)
	pick := index(1, rows)
	d := mat.Descent{S: s, Steps: 3, Kind: mat.StepKind{Phi: mat.PhiHuber, T: 1, NonNeg: true}, A: col, B: col, C: col}
	tape, values := m(d.TapeShape(x.Shape()).Rows, 1), m(s.NNZ(), 1)
	square, flip := m(cols, cols), m(cols, rows)
	groups, squares, three := mat.NewGroups(rows/3, 0, rows-rows/3), m(3*cols, cols), m(3, cols)
	ids, repeated := make([]int32, rows), index(2, rows)
	batch, entries := mat.NewBatchIndex(rows, rows), mat.NewBatchSparse(rows, rows, 1)
	finite := m(rows, cols) // a matrix of its own: others are written by the operations before
	list, w := triples([3]int{rows, rows, rows}, rows), m(rows, cols)
	stats := mat.RelStatistics{Sum: m(rows, cols), Square: m(rows, cols), Max: m(rows, cols), Min: m(rows, cols), ArgMax: m(rows, cols), ArgMin: m(rows, cols)}
	return map[string]func(){
		"Copy": func() { mat.Copy(x, y) }, "Fill": func() { mat.Fill(x, 1) },
		"Uniform": func() { mat.Uniform(x, 0, 1, 1) }, "Normal": func() { mat.Normal(x, 0, 1, 1) },
		"MatMul": func() { mat.MatMul(square, x, y, mat.TN, 1, 0) },
		"SpMM":   func() { mat.SpMM(x, s, true, values, y, 1, 0) }, "SDDMM": func() { mat.SDDMM(values, s, x, y) },
		"GroupMatMul": func() { mat.GroupMatMul(squares, groups, x, y, mat.TN, 0) },
		"NormReLU":    func() { mat.NormReLU(x, y, row, row, row, 0.1, true) },
		"NormReLUVJP": func() { mat.NormReLUVJP(x, three, y, z, row, row, row, 0.1) },
		"RelMM":       func() { mat.RelMM(x, list, 0, y, z, 0) }, "RelStats": func() { mat.RelStats(stats, list, y, y) },
		"RelStatsVJP": func() { mat.RelStatsVJP(w, stats, list, y, y) },
		"BatchIndex":  func() { _ = batch.Update(ids) }, "BatchSparse": func() { _ = entries.Update(ids) },
		"Gather": func() { mat.Gather(x, y, idx) }, "Scatter": func() { mat.Scatter(x, y, idx) }, "SegmentSum": func() { mat.SegmentSum(x, y, idx, 1, 0) },
		"Map": func() { mat.Map(x, y, mat.Tanh, 0, 0) }, "MapMul": func() { mat.MapMul(x, y, y, mat.Tanh, 1, 0) },
		"Affine": func() { mat.Affine(x, y, 2, 1) }, "Axpby": func() { mat.Axpby(x, y, row, 1, 1) },
		"Mul": func() { mat.Mul(x, y, col, 1) }, "MulAdd": func() { mat.MulAdd(x, y, z, 1) },
		"Maximum": func() { mat.Maximum(x, y, z) }, "Minimum": func() { mat.Minimum(x, y, z) },
		"GreaterMask": func() { mat.GreaterMask(x, y, z, y) }, "Expand": func() { mat.Expand(x, col) },
		"SumRows": func() { mat.SumRows(row, x) }, "SumCols": func() { mat.SumCols(col, x) }, "Sum": func() { mat.Sum(one, x) },
		"RowDot": func() { mat.RowDot(col, x, y) }, "ColDot": func() { mat.ColDot(row, x, y) }, "Dot": func() { mat.Dot(one, x, y) },
		"MaxAbs": func() { mat.MaxAbs(x) }, "CheckFinite": func() { _ = finite.CheckFinite() },
		"Softmax": func() { mat.Softmax(x, y) }, "LogSoftmax": func() { mat.LogSoftmax(x, y) },
		"CrossEntropy":     func() { mat.CrossEntropy(one, y, labels, nil) },
		"CrossEntropyGrad": func() { mat.CrossEntropyGrad(x, y, labels, pick) },
		"repeated rows":    func() { mat.CrossEntropyGrad(x, y, labels, repeated) },
		"Dropout":          func() { mat.Dropout(x, y, 0.5, 1) },
		"Adam":             func() { mat.Adam(x, y, z, y, mat.AdamConfig{Rate: 0.1, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}, 1) },
		"Transpose":        func() { mat.Transpose(flip, x) },
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
}

var numbers [1 << 16]mat.Real

// TestNothingAllocates: no operation allocates on the CPU once it has run, neither where it is one
// piece nor where it is cut into several.
func TestNothingAllocates(t *testing.T) {
	for _, shape := range []mat.Shape{{Rows: 12, Cols: 7}, {Rows: 900, Cols: 70}} {
		all := calls(shape.Rows, shape.Cols)
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
