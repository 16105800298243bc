package mattest

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// checkAdam: a step of Adam (Kingma and Ba 2015), with weight decay in the gradient or, decoupled,
// in the weights (Loshchilov and Hutter 2019).
func checkAdam(s *suite) {
	for _, c := range []mat.AdamConfig{
		{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8},
		{Rate: 0.3, Beta1: 0.8, Beta2: 0.99, Eps: 1e-3, Decay: 0.1},
		{Rate: 0.3, Beta1: 0.8, Beta2: 0.99, Eps: 1e-3, Decay: 0.1, Decoupled: true},
		{Rate: 1, Beta1: 0, Beta2: 0.5, Eps: 0.1},
	} {
		for _, shape := range s.some() {
			for _, t := range []int{1, 2, 30} {
				s.adam(shape, c, t)
			}
		}
	}
}

func (s *suite) adam(shape mat.Shape, c mat.AdamConfig, t int) {
	w, m, grad := s.random(shape), s.random(shape), s.random(shape)
	v := s.make(shape, func() float64 { return 0.1 + math.Abs(s.rng.NormFloat64()) })
	if t == 1 {
		m, v = newGrid(shape), newGrid(shape)
	}
	at := func(i, j int) [3]near { return adamAt(c, t, w.at(i, j), m.at(i, j), v.at(i, j), grad.at(i, j)) }
	s.try(trial{
		name: fmt.Sprintf("Adam %+v, step %d", c, t), in: []grid{grad}, dst: []grid{w, m, v},
		run: func(dst, in []*mat.Dense) { mat.Adam(dst[0], dst[1], dst[2], in[0], c, t) },
		want: []func(i, j int) near{
			func(i, j int) near { return at(i, j)[0] },
			func(i, j int) near { return at(i, j)[1] },
			func(i, j int) near { return at(i, j)[2] },
		},
	})
}

// adamAt returns one weight with its moments after the step. Sizes come from the terms: a moment may
// cancel, and the step inherits its error.
func adamAt(c mat.AdamConfig, t int, w, m, v, grad float64) [3]near {
	b1, b2, rate, decay := float64(c.Beta1), float64(c.Beta2), float64(c.Rate), float64(c.Decay)
	g, gSize, keep := grad, math.Abs(grad), 1-rate*decay
	if !c.Decoupled {
		g, gSize, keep = grad+decay*w, math.Abs(grad)+math.Abs(decay*w), 1
	}
	m2, mSize := b1*m+(1-b1)*g, math.Abs(b1*m)+(1-b1)*gSize
	v2, vSize := b2*v+(1-b2)*g*g, b2*v+(1-b2)*gSize*gSize
	scale := rate / (1 - math.Pow(b1, float64(t)))
	down := math.Sqrt(v2/(1-math.Pow(b2, float64(t)))) + float64(c.Eps)
	// The root has half the relative error of v2, which grows where decay·w cancels grad.
	grow := 1.0
	if v2 > 0 {
		grow = vSize / v2
	}
	return [3]near{
		rounded(keep*w-scale*m2/down, math.Abs(keep*w)+scale*(mSize+math.Abs(m2)*grow)/down, 12),
		rounded(m2, mSize, 6),
		rounded(v2, vSize, 8),
	}
}

// checkAdamAll: every matrix of a list moves as it would alone, including matrices after the first hundred.
func checkAdamAll(s *suite) {
	const rows, count = 3, 100
	c := mat.AdamConfig{Rate: 0.3, Beta1: 0.8, Beta2: 0.99, Eps: 1e-3}
	for _, c.Decoupled = range []bool{false, true} {
		var together, alone []mat.Moved
		for k := range count {
			shape := mat.Shape{Rows: rows, Cols: k % 50}
			w, grad := s.random(shape), s.random(shape)
			one := func() mat.Moved {
				return mat.Moved{W: s.put(w).Dense, M: mat.New(rows, k%50), V: mat.New(rows, k%50),
					Grad: s.put(grad).Dense, Decay: mat.Real(k%3) / 10}
			}
			together, alone = append(together, one()), append(alone, one())
		}
		for t := range 2 {
			mat.AdamAll(together, c, t+1)
			for _, x := range alone {
				c := c
				c.Decay = x.Decay
				mat.Adam(x.W, x.M, x.V, x.Grad, c, t+1)
			}
		}
		for k, x := range together {
			y := alone[k]
			s.sameBits(fmt.Sprintf("AdamAll, W of matrix %d", k), x.W.Slice(), y.W.Slice())
			s.sameBits(fmt.Sprintf("AdamAll, M of matrix %d", k), x.M.Slice(), y.M.Slice())
			s.sameBits(fmt.Sprintf("AdamAll, V of matrix %d", k), x.V.Slice(), y.V.Slice())
		}
	}
}

// checkMarkAll: the number of the first matrix with NaN or Inf, wherever else there is one, and 0 without any.
func checkMarkAll(s *suite) {
	const count = 100
	flag := mat.New(1, 1)
	var xs []*mat.Dense
	for k := range count {
		xs = append(xs, s.put(s.random(mat.Shape{Rows: 7, Cols: k % 50})).Dense)
	}
	for _, bad := range [][]int{nil, {99}, {99, 51}, {1, 60, 98}, {3, 2}, nil} {
		want := mat.Real(0)
		for _, k := range bad {
			mat.Fill(xs[k], mat.Real(math.NaN()))
			want = mat.Real(slices.Min(bad) + 1)
		}
		mat.MarkAll(flag, xs)
		s.sameBits(fmt.Sprintf("MarkAll of %v", bad), flag.Slice(), []mat.Real{want})
		for _, k := range bad {
			mat.Fill(xs[k], 1)
		}
	}
}
