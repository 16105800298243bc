package kernel

import (
	"fmt"
	"math"
	"testing"
)

func softmaxShapes() [][2]int {
	var s [][2]int
	for c := 1; c < 68; c++ {
		s = append(s, [2]int{5, c})
	}
	return append(s, [2]int{0, 4}, [2]int{3000, 3}, [2]int{2000, 40}, [2]int{3, 1000})
}

// naiveSoftmax is exp(x)/Σexp(x) and its logarithm.
func naiveSoftmax(row []Real) (p, logp []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range row {
		top = math.Max(top, float64(v))
	}
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	for _, v := range row {
		p = append(p, math.Exp(float64(v)-top)/sum)
		logp = append(logp, float64(v)-top-math.Log(sum))
	}
	return p, logp
}

func TestSoftmax(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, s := range softmaxShapes() {
			rows, cols := s[0], s[1]
			x := normals(rng, rows*cols)
			for i := range x {
				x[i] *= 10
				if rng.IntN(10) == 0 && i%cols != 0 {
					x[i] = Real(math.Inf(-1)) // a class that is masked out
				}
			}
			var want, wantLog []float64
			for i := range rows {
				p, l := naiveSoftmax(x[i*cols : (i+1)*cols])
				want, wantLog = append(want, p...), append(wantLog, l...)
			}
			what := fmt.Sprintf("%d×%d", rows, cols)
			src, dst := copyGuarded(x), newGuarded(rows*cols)
			// x − max is rounded, which moves exp by up to |x − max| ≈ 100 roundings; small
			// probabilities do not matter to more than 1e-30.
			scale := func(i int) float64 { return 1e-30 + want[i]*(4+math.Abs(wantLog[i])) }
			Softmax(dst.x, src.x, rows, cols)
			near(t, what, dst.x, want, 8*roundoff, scale)
			dst.check(t, what)
			LogSoftmax(dst.x, src.x, rows, cols)
			near(t, what+" log", dst.x, wantLog, 8*roundoff, func(i int) float64 { return 1 + math.Abs(wantLog[i]) })
			dst.check(t, what)
			Softmax(src.x, src.x, rows, cols)
			near(t, what+" in place", src.x, want, 8*roundoff, scale)
			src.check(t, what)
		}
	})
}

func TestSoftmaxNaN(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for cols := 1; cols < 40; cols++ {
			x := make([]Real, 3*cols)
			x[cols+cols/2] = Real(math.NaN())
			Softmax(x, x, 3, cols)
			for i, v := range x {
				if (v != v) != (i/cols == 1) {
					t.Fatalf("%d columns: entry %d is %g", cols, i, v)
				}
			}
		}
	})
}

func TestCrossEntropy(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, s := range softmaxShapes() {
			rows, cols := s[0], s[1]
			x := copyGuarded(normals(rng, rows*cols))
			labels := make([]int32, rows)
			var some []int32
			for i := range labels {
				labels[i] = int32(rng.IntN(cols))
				if rng.IntN(3) == 0 {
					some = append(some, int32(i))
				}
			}
			rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			repeated := append(some, some...)
			for _, pick := range [][]int32{nil, some, {}, repeated} {
				testCrossEntropy(t, x, labels, pick, rows, cols)
			}
		}
	})
}

// testCrossEntropy compares loss and gradient with the formulas.
func testCrossEntropy(t *testing.T, x guarded, labels, pick []int32, rows, cols int) {
	t.Helper()
	const scale = 2.5
	n := rows
	if pick != nil {
		n = len(pick)
	}
	loss, grad := 0.0, make([]float64, rows*cols)
	for r := range n {
		i := rowOf(pick, r)
		p, logp := naiveSoftmax(x.x[i*cols : (i+1)*cols])
		loss -= logp[labels[i]] / float64(n)
		p[labels[i]]--
		for j := range p {
			grad[i*cols+j] += scale / float64(n) * p[j]
		}
	}
	what := fmt.Sprintf("%d×%d, pick %d", rows, cols, len(pick))
	got := CrossEntropy(x.x, labels, pick, rows, cols)
	near(t, what, []Real{got}, []float64{loss}, sumTolerance, func(int) float64 { return 1 + loss })
	dst := newGuarded(rows * cols)
	if times := Invert(pick, rows); times.Repeats() {
		CrossEntropyGradRepeated(dst.x, x.x, labels, times, cols, scale)
	} else {
		CrossEntropyGrad(dst.x, x.x, labels, pick, rows, cols, scale)
	}
	// Probabilities are within 8 roundings times |x − max| < 30, see TestSoftmax.
	near(t, what+" grad", dst.x, grad, 200*roundoff, func(int) float64 { return scale / float64(max(1, n)) })
	dst.check(t, what)
}

func TestCrossEntropyChecksLabels(t *testing.T) {
	for _, c := range []struct{ label, row int32 }{{2, 0}, {-1, 0}, {0, 3}, {0, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("label %d, row %d: no panic", c.label, c.row)
				}
			}()
			CrossEntropy(make([]Real, 6), []int32{c.label, 0, 0}, []int32{c.row}, 3, 2)
		}()
	}
}
