package pairs

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// logistic is a logistic regression on the columns of pairs, which are a row of x each, the last of them 1.
type logistic struct {
	x []float64
	y []float64
	k int
}

// newLogistic takes the training pairs, each part hidden while it is described, and as many that are not joined.
func newLogistic(s *split, c *columns, seed uint64) *logistic {
	order := make([]int32, len(s.train))
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(order, mat.Mix(seed, hashOrder))
	others := s.apart(len(s.train), mat.Mix(seed, hashFalse))
	l := &logistic{k: c.width() + 1}
	row := make([]mat.Real, c.width())
	put := func(p pair, y float64) {
		c.row(row, 0, p)
		for _, x := range row {
			l.x = append(l.x, float64(x))
		}
		l.x, l.y = append(l.x, 1), append(l.y, y)
	}
	for f := range folds {
		part := order[f*len(order)/folds : (f+1)*len(order)/folds]
		c.near.hide(part, s.train)
		c.turn()
		for _, i := range part {
			put(s.train[i], 1)
			put(others[i], 0)
		}
	}
	c.near.hide(nil, s.train)
	c.turn()
	return l
}

// fit are the weights that maximise the likelihood less ½‖w‖², by Newton's steps.
func (l *logistic) fit() []float64 {
	w, k := make([]float64, l.k), l.k
	const steps = 12
	for range steps {
		g, h := make([]float64, k), make([]float64, k*k)
		for j := range k {
			g[j], h[j*k+j] = -w[j], 1
		}
		for i, y := range l.y {
			x := l.x[i*k : (i+1)*k]
			z := 0.0
			for j, v := range x {
				z += w[j] * v
			}
			p := 1 / (1 + math.Exp(-z))
			for j, v := range x {
				g[j] += (y - p) * v
				for m, u := range x[:j+1] {
					h[j*k+m] += p * (1 - p) * v * u
				}
			}
		}
		for j, d := range solve(h, g, k) {
			w[j] += d
		}
	}
	return w
}

// solve is H⁻¹g of a symmetric positive k×k matrix, of which the lower half is given and overwritten, by Cholesky's
// decomposition.
func solve(h, g []float64, k int) []float64 {
	for i := range k {
		for j := range i + 1 {
			sum := h[i*k+j]
			for m := range j {
				sum -= h[i*k+m] * h[j*k+m]
			}
			if i == j {
				h[i*k+i] = math.Sqrt(sum)
			} else {
				h[i*k+j] = sum / h[j*k+j]
			}
		}
	}
	for i := range k {
		for m := range i {
			g[i] -= h[i*k+m] * g[m]
		}
		g[i] /= h[i*k+i]
	}
	for i := k - 1; i >= 0; i-- {
		for m := i + 1; m < k; m++ {
			g[i] -= h[m*k+i] * g[m]
		}
		g[i] /= h[i*k+i]
	}
	return g
}
