package audit

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// fitted is a quadratic upper level with one λ on random numbers.
func fitted(z, y numbers, teaches []bool, lambda float64) *quadratic {
	d := newDesign(z, teaches)
	u := &quadratic{design: d, y: y, offset: y.means(d.own)}
	u.solve(lambda, u.targets())
	u.finish()
	return u
}

// TestLeaveOneOut: the closed form is what the level predicts when it is taught without the node, for its own numbers
// and for others in its place.
func TestLeaveOneOut(t *testing.T) {
	const n, p, q, lambda = 40, 6, 3, 0.7
	z, y := normal(n, p, 1, 1), normal(n, q, 1, 2)
	other := normal(1, p, 1, 3)
	teaches := make([]bool, n)
	for i := range teaches {
		teaches[i] = i%5 != 4
	}
	u := fitted(z, y, teaches, lambda)
	for _, i := range []int{0, 7, 13} {
		without := append([]bool(nil), teaches...)
		without[i] = false
		v := fitted(z, y, without, lambda)
		got, want := make([]float64, q), make([]float64, q)
		u.leaveOut(got, i)
		v.predict(want, v.a.at(i))
		compare(t, "own numbers", got, want)
		u.instead(got, i, u.coordinates(other).at(0))
		v.predict(want, v.coordinates(other).at(0))
		compare(t, "other numbers", got, want)
	}
}

func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for k := range got {
		// single precision
		if math.Abs(got[k]-want[k]) > 2e-4 {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// TestOrthonormal: principal columns are orthonormal, the largest first, and span what random data was made of.
func TestOrthonormal(t *testing.T) {
	v := normal(30, 4, 1, 1).orthonormal()
	g := v.times(v, mat.TN)
	for i := range 4 {
		for j := range 4 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(float64(g.at(i)[j])-want) > 1e-4 {
				t.Fatalf("entry %d, %d of VᵀV is %v", i, j, g.at(i)[j])
			}
		}
	}
}
