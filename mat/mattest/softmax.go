package mattest

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// rows is what softmax needs to know of a matrix: the largest entry m of every row, and
// Σ_j exp(x[i,j] − m).
type rows struct {
	grid
	m, total []float64
}

func newRows(x grid) rows {
	r := rows{x, make([]float64, x.Rows), make([]float64, x.Rows)}
	for i := range x.Rows {
		r.m[i] = math.Inf(-1)
		for j := range x.Cols {
			r.m[i] = max(r.m[i], x.at(i, j))
		}
		for j := range x.Cols {
			r.total[i] += math.Exp(x.at(i, j) - r.m[i])
		}
	}
	return r
}

// softmax returns exp(x − m)/Σ. A rounding of x − m is a relative error of exp; besides there are the sum
// over the columns, two exponentials and a division.
func (r rows) softmax(i, j int) near {
	d := r.at(i, j) - r.m[i]
	v := math.Exp(d) / r.total[i]
	return rounded(v, v*(1+math.Min(math.Abs(d), 200)), float64(r.Cols)+10)
}

// logSoftmax returns x − m − log Σ, whose errors are absolute: of x − m and of the logarithm. An error of the size of
// x, as x − log Σ exp(x) has, is not accepted.
func (r rows) logSoftmax(i, j int) near {
	d, l := r.at(i, j)-r.m[i], math.Log(r.total[i])
	return rounded(d-l, math.Abs(d)+l+1, float64(r.Cols)+10)
}

// logits returns rows of moderate numbers, rows that would overflow without care, and rows with entries
// that have no chance.
func (s *suite) logits(shape mat.Shape) grid {
	x := s.random(shape)
	for i := range shape.Rows {
		r := x.v[i*shape.Cols : (i+1)*shape.Cols]
		shift, hopeless := []mat.Real{0, 1000, -1000}[s.rng.IntN(3)], s.rng.IntN(4) == 0
		for j := range r {
			r[j] += shift
			if hopeless && j > 0 && s.rng.IntN(3) == 0 {
				r[j] = mat.Real(math.Inf(-1))
			}
		}
	}
	return x
}

// checkSoftmax: exp(x[i,:])/Σ_j exp(x[i,j]) and its logarithm. NaN makes its row NaN and no other.
func checkSoftmax(s *suite) {
	for _, shape := range s.shapes() {
		x := s.logits(shape)
		if n := len(x.v); n > 0 {
			x.v[s.rng.IntN(n)] = mat.Real(math.NaN())
		}
		r := newRows(x)
		t := trial{
			name: "Softmax", in: []grid{x}, dst: []grid{junk(shape)}, over: [][2]int{{0, 0}},
			run:  func(dst, in []*mat.Dense) { mat.Softmax(dst[0], in[0], false) },
			want: alone(r.softmax),
		}
		s.try(t)
		t.name = "LogSoftmax"
		t.run = func(dst, in []*mat.Dense) { mat.Softmax(dst[0], in[0], true) }
		t.want = alone(r.logSoftmax)
		s.try(t)
	}
}

// classified is a matrix of logits with labels, and the rows to look at.
type classified struct {
	name   string
	x      grid
	labels []int32
	rows   []int32 // the rows that count
	pick   bool    // whether they are given as a list
}

// eachClassified calls f with all rows, no row, one row, some rows in random order, and rows that repeat.
func (s *suite) eachClassified(f func(classified)) {
	sizes := [][2]int{{0, 0}, {0, 4}, {1, 1}, {7, 1}, {1, 9}, {23, 5}, {40, 17}, {5, 70}, {2501, 7}}
	for _, n := range sizes {
		x := s.logits(mat.Shape{Rows: n[0], Cols: n[1]})
		c := classified{x: x, labels: s.ids(n[0], n[1])}
		for i, l := range c.labels { // a label has a chance
			if at := i*n[1] + int(l); math.IsInf(float64(x.v[at]), 0) {
				x.v[at] = x.v[i*n[1]]
			}
		}
		order := make([]int32, n[0])
		for i, at := range s.rng.Perm(n[0]) {
			order[i] = int32(at)
		}
		for _, k := range []int{-1, 0, 1, n[0] / 2, n[0]} {
			c.pick, c.rows = k >= 0, order
			if k >= 0 {
				c.rows = order[:min(k, n[0])]
			}
			c.name = fmt.Sprintf("%v logits, %d rows (picked %v)", x.Shape, len(c.rows), c.pick)
			f(c)
		}
		if n[0] > 0 {
			c.pick, c.rows = true, s.ids(n[0]+1, n[0])
			c.name = fmt.Sprintf("%v logits, %d rows that repeat", x.Shape, len(c.rows))
			f(c)
		}
	}
}

// on puts the lists on the device.
func (c classified) on(s *suite) (labels, pick *mat.Index) {
	labels = s.index(c.labels, c.x.Cols)
	if c.pick {
		pick = s.index(c.rows, c.x.Rows)
	}
	return labels, pick
}

// loss returns the mean of −log softmax over the rows: the errors of the logarithms and of the mean.
func (c classified) loss() near {
	if len(c.rows) == 0 {
		return exact(0)
	}
	r, total, tol := newRows(c.x), sum{}, 0.0
	for _, i := range c.rows {
		l := r.logSoftmax(int(i), int(c.labels[i]))
		total.add(-l.v)
		tol += l.tol
	}
	n := float64(len(c.rows))
	mean := total.times(1/n, 0, 0)
	return near{mean.v, mean.tol + tol/n}
}

// checkCrossEntropy: the mean over the picked rows, all rows where pick is nil, 0 where none is picked.
func checkCrossEntropy(s *suite) {
	s.eachClassified(func(c classified) {
		labels, pick := c.on(s)
		s.try(trial{
			name: "CrossEntropy, " + c.name, in: []grid{c.x}, dst: []grid{junk(mat.Shape{Rows: 1, Cols: 1})},
			run:  func(dst, in []*mat.Dense) { mat.CrossEntropy(dst[0], in[0], labels, pick) },
			want: alone(func(i, j int) near { return c.loss() }),
		})
	})
}

// checkCrossEntropyGrad: (softmax − onehot)·c/|pick| on rows that are c times in pick, 0 on others.
func checkCrossEntropyGrad(s *suite) {
	s.eachClassified(func(c classified) {
		labels, pick := c.on(s)
		times := make([]float64, c.x.Rows)
		for _, i := range c.rows {
			times[i]++
		}
		r, n := newRows(c.x), float64(len(c.rows))
		s.try(trial{
			name: "CrossEntropyGrad, " + c.name, in: []grid{c.x}, dst: []grid{junk(c.x.Shape)},
			run: func(dst, in []*mat.Dense) { mat.CrossEntropyGrad(dst[0], in[0], labels, pick) },
			want: alone(func(i, j int) near {
				if times[i] == 0 {
					return exact(0)
				}
				p := r.softmax(i, j)
				hot := indicator(int(c.labels[i]) == j)
				return near{(p.v - hot) * times[i] / n, (p.tol + 6*unit*(p.v+hot)) * times[i] / n}
			}),
		})
	})
}
