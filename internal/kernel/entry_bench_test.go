package kernel

import (
	"fmt"
	"testing"
)

// benchSizes are a matrix in the first-level cache and one of pubmed's features.
var benchSizes = []int{4096, 19717 * 500}

// benchEntry runs f over n numbers, of which it moves words through memory each.
func benchEntry(b *testing.B, words int, f func(n int) func()) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			run := f(n)
			b.SetBytes(int64(words * n * RealBytes))
			for b.Loop() {
				run()
			}
		})
	}
}

// benchOperands are matrices of n numbers of N(0, 1).
func benchOperands(n, count int) [][]Real {
	out := make([][]Real, count)
	for i := range out {
		out[i] = Alloc(n)
		Normal(out[i], 0, 1, uint64(i))
	}
	return out
}

func BenchmarkMap(b *testing.B) {
	for f := range NumFunc {
		b.Run(f.String(), func(b *testing.B) {
			benchEntry(b, 2, func(n int) func() {
				o := benchOperands(n, 2)
				return func() { Map(o[1], o[0], f, 0, 1) }
			})
		})
	}
}

func BenchmarkMapMul(b *testing.B) {
	for _, f := range []Func{Tanh, ReLU, Huber} {
		b.Run(f.String(), func(b *testing.B) {
			benchEntry(b, 3, func(n int) func() {
				o := benchOperands(n, 3)
				return func() { MapMul(o[2], o[0], o[1], f, 1, 1) }
			})
		})
	}
}

func BenchmarkAxpby(b *testing.B) {
	benchEntry(b, 3, func(n int) func() {
		o := benchOperands(n, 3)
		return func() { Axpby(o[2], o[0], o[1], 1, n, Full, 2, 3) }
	})
}

func BenchmarkSum(b *testing.B) {
	benchEntry(b, 1, func(n int) func() {
		o := benchOperands(n, 1)
		return func() { Sum(o[0]) }
	})
}

func BenchmarkMaxAbs(b *testing.B) {
	benchEntry(b, 1, func(n int) func() {
		o := benchOperands(n, 1)
		return func() { MaxAbs(o[0]) }
	})
}

func BenchmarkDropout(b *testing.B) {
	benchEntry(b, 2, func(n int) func() {
		o := benchOperands(n, 2)
		return func() { Dropout(o[1], o[0], 0, 0.5, 1) }
	})
}

func BenchmarkAdam(b *testing.B) {
	benchEntry(b, 7, func(n int) func() {
		o := benchOperands(n, 4)
		Map(o[2], o[2], Abs, 0, 0)
		c := AdamConfig{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
		return func() { Adam(o[0], o[1], o[2], o[3], c, 10) }
	})
}

// benchShapes are logits and hidden states of the workloads.
var benchShapes = [][2]int{{19717, 3}, {22662, 18}, {169343, 40}, {22662, 512}}

func benchRows(b *testing.B, words int, f func(rows, cols int) func()) {
	for _, s := range benchShapes {
		b.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(b *testing.B) {
			run := f(s[0], s[1])
			b.SetBytes(int64(words * s[0] * s[1] * RealBytes))
			for b.Loop() {
				run()
			}
		})
	}
}

func BenchmarkBias(b *testing.B) {
	benchRows(b, 2, func(rows, cols int) func() {
		o := benchOperands(rows*cols, 1)
		return func() { Axpby(o[0], o[0], o[0][:cols], rows, cols, ByRow, 1, 1e-3) }
	})
}

func BenchmarkSumRows(b *testing.B) {
	benchRows(b, 1, func(rows, cols int) func() {
		o := benchOperands(rows*cols, 2)
		return func() { SumRows(o[1], o[0], rows, cols) }
	})
}

func BenchmarkRowDot(b *testing.B) {
	benchRows(b, 2, func(rows, cols int) func() {
		o := benchOperands(rows*cols, 3)
		return func() { RowDot(o[2], o[0], o[1], rows, cols) }
	})
}

func BenchmarkSoftmax(b *testing.B) {
	benchRows(b, 2, func(rows, cols int) func() {
		o := benchOperands(rows*cols, 2)
		return func() { Softmax(o[1], o[0], rows, cols) }
	})
}

func BenchmarkCrossEntropy(b *testing.B) {
	benchRows(b, 1, func(rows, cols int) func() {
		o, labels := benchOperands(rows*cols, 1), make([]int32, rows)
		return func() { CrossEntropy(o[0], labels, nil, rows, cols) }
	})
}

func BenchmarkCrossEntropyGrad(b *testing.B) {
	benchRows(b, 2, func(rows, cols int) func() {
		o, labels := benchOperands(rows*cols, 2), make([]int32, rows)
		return func() { CrossEntropyGrad(o[1], o[0], labels, nil, rows, cols, 1) }
	})
}

func BenchmarkTranspose(b *testing.B) {
	benchRows(b, 2, func(rows, cols int) func() {
		o := benchOperands(rows*cols, 2)
		return func() { Transpose(o[1], o[0], rows, cols) }
	})
}

func BenchmarkNormal(b *testing.B) {
	benchEntry(b, 1, func(n int) func() {
		x := Alloc(n)
		return func() { Normal(x, 0, 1, 1) }
	})
}

// BenchmarkLevels compares the bodies on a matrix in the second-level cache.
func BenchmarkLevels(b *testing.B) {
	const rows, cols = 2048, 40
	o, labels := benchOperands(rows*cols, 3), make([]int32, rows)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"tanh", func() { Map(o[2], o[0], Tanh, 0, 0) }},
		{"axpby", func() { Axpby(o[2], o[0], o[1], rows, cols, Full, 1, 2) }},
		{"dropout", func() { Dropout(o[2], o[0], 0, 0.5, 1) }},
		{"sumrows", func() { SumRows(o[2], o[0], rows, cols) }},
		{"crossgrad", func() { CrossEntropyGrad(o[2], o[0], labels, nil, rows, cols, 1) }},
	} {
		for l := Portable; l <= Best(); l++ {
			b.Run(c.name+"/"+l.String(), func(b *testing.B) {
				defer Use(l)()
				b.SetBytes(rows * cols * RealBytes)
				for b.Loop() {
					c.f()
				}
			})
		}
	}
}
