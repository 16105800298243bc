package solve

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// diagonal is M = diag(d).
func diagonal(d []float64) func(dst, v []float64) error {
	return func(dst, v []float64) error {
		for i, x := range v {
			dst[i] = d[i] * x
		}
		return nil
	}
}

// newLinear solves for vectors of n numbers.
func newLinear(n int, times func(dst, v []float64) error) *Linear[[]float64] {
	l := NewFloats(n, times)
	for i := range l.Work {
		for j := range l.Work[i] {
			l.Work[i][j] = math.NaN() // their content does not matter
		}
	}
	return l
}

// TestDistinctEigenvalues: in exact arithmetic a matrix of k distinct eigenvalues takes k steps; where they are of one
// size rounding does not add another.
func TestDistinctEigenvalues(t *testing.T) {
	const n = 24
	for k := 1; k <= 6; k++ {
		d, b, x := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range d {
			d[i], b[i] = 1+float64(i%k), 1+float64(i*i%7)
		}
		s, err := newLinear(n, diagonal(d)).Solve(x, b, 1e-13, 100)
		if err != nil || s.End != Solved || s.Steps != k {
			t.Errorf("%d eigenvalues: %d steps, %s, %v", k, s.Steps, s.End, err)
		}
		for i := range x {
			if math.Abs(x[i]-b[i]/d[i]) > 1e-12*b[i] {
				t.Errorf("%d eigenvalues: x_%d = %v, want %v", k, i, x[i], b[i]/d[i])
			}
		}
	}
}

// TestFirstSteps: the first two iterates of a 2×2 system, worked out by hand.
//
//	M = (4 1; 1 3), b = (1, 2): α = 5/20, x = (1/4, 1/2), r = (−1/2, 1/4), β = 1/16; then x = (1/11, 7/11)
func TestFirstSteps(t *testing.T) {
	times := func(dst, v []float64) error {
		dst[0], dst[1] = 4*v[0]+v[1], v[0]+3*v[1]
		return nil
	}
	for most, want := range [][2]float64{{0, 0}, {0.25, 0.5}, {1.0 / 11, 7.0 / 11}} {
		x := make([]float64, 2)
		s, err := newLinear(2, times).Solve(x, []float64{1, 2}, 1e-15, most)
		if err != nil || s.Steps != most || math.Abs(x[0]-want[0]) > 1e-15 || math.Abs(x[1]-want[1]) > 1e-15 {
			t.Errorf("after %d steps: %v, %+v, %v; want %v", most, x, s, err, want)
		}
	}
}

// TestEnds: what is solved from the start, is singular, is not convex, takes too long or fails.
func TestEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		d, b  []float64
		most  int
		want  Solution
		x     []float64
		fails error
	}{
		{"b is 0", []float64{1, 2}, []float64{0, 0}, 9, Solution{0, 0, Solved}, []float64{0, 0}, nil},
		{"singular, b in its range", []float64{2, 0}, []float64{4, 0}, 9, Solution{1, 0, Solved}, []float64{2, 0}, nil},
		{"singular, b outside", []float64{2, 0}, []float64{0, 3}, 9, Solution{0, 1, Flat}, []float64{0, 0}, nil},
		{"negative", []float64{-1, -1}, []float64{1, 1}, 9, Solution{0, 1, Flat}, []float64{0, 0}, nil},
		{"NaN", []float64{math.NaN(), 1}, []float64{1, 1}, 9, Solution{0, 1, Flat}, []float64{0, 0}, nil},
		{"no steps", []float64{1, 2}, []float64{1, 1}, 0, Solution{0, 1, Exhausted}, []float64{0, 0}, nil},
		{"failing", []float64{1, 2}, []float64{1, 1}, 9, Solution{0, 1, ""}, []float64{0, 0}, broken},
	} {
		x := []float64{7, 7}
		times := diagonal(c.d)
		if c.fails != nil {
			times = func(dst, v []float64) error { return c.fails }
		}
		s, err := newLinear(2, times).Solve(x, c.b, 1e-12, c.most)
		if s != c.want || fmt.Sprint(x) != fmt.Sprint(c.x) || !errors.Is(err, c.fails) {
			t.Errorf("%s: %+v, %v, %v; want %+v, %v", c.name, s, x, err, c.want, c.x)
		}
	}
}

// TestSpaces: a matrix on the device takes the steps of numbers on the host, up to rounding, and a second solve
// allocates nothing.
func TestSpaces(t *testing.T) {
	const n, seed = 40, 5
	rng := rand.New(rand.NewPCG(seed, 1))
	d, b, x := make([]float64, n), make([]float64, n), make([]float64, n)
	diag, right := make([]mat.Real, n), make([]mat.Real, n)
	for i := range d {
		diag[i], right[i] = mat.Real(1+rng.Float64()), mat.Real(rng.NormFloat64())
		d[i], b[i] = float64(diag[i]), float64(right[i])
	}
	s, err := newLinear(n, diagonal(d)).Solve(x, b, 1e-6, n)
	if err != nil {
		t.Fatal(err)
	}
	m, rhs, y := ad.Const(mat.FromSlice(n, 1, diag)), mat.FromSlice(n, 1, right), mat.New(n, 1)
	l := NewDense(y.Shape(), func(p ad.Var) ad.Var { return m.Mul(p) })
	again, err := l.Solve(y, rhs, 1e-6, n)
	if err != nil || again.Steps != s.Steps || again.End != Solved {
		t.Fatalf("seed %d: %+v, want %+v, %v", seed, again, s, err)
	}
	for i, v := range y.Slice() {
		if math.Abs(float64(v)-x[i]) > 1e-5 { // single precision, and 1e-6 left to go
			t.Errorf("seed %d: entry %d is %v, want %v", seed, i, v, x[i])
		}
	}
	if count := testing.AllocsPerRun(3, func() { _, err = l.Solve(y, rhs, 1e-6, n) }); count > 0 || err != nil {
		t.Errorf("%v allocations a solve, %v", count, err)
	}
}

// quartic is F(x) = Σ_i a_i (x_i − 1)² / 2 + (x_i − 1)⁴ / 4 of two columns, each with the preconditioner diag(a).
type quartic struct {
	a          []float64
	x, r, p    [2][]float64
	turns      int
	back       bool // turn back once
	plain      bool // without the preconditioner
	limit      float64
	trajectory []float64 // F of the first column
}

func newQuartic(a []float64) *quartic {
	q := &quartic{a: a, limit: 1e-12}
	for j := range q.x {
		q.x[j], q.r[j], q.p[j] = make([]float64, len(a)), make([]float64, len(a)), make([]float64, len(a))
	}
	return q
}

func (q *quartic) scale(i int) float64 {
	if q.plain {
		return 1
	}
	return 1 / q.a[i]
}

// begin sets r and Size; the second column begins at the solution.
func (q *quartic) begin() []Column {
	for i := range q.a {
		q.x[1][i] = 1
	}
	c := make([]Column, 2)
	q.residual(c)
	return c
}

func (q *quartic) residual(c []Column) (solved bool) {
	solved = true
	for j := range c {
		c[j].Size, c[j].Cross = 0, 0
		for i, a := range q.a {
			e := q.x[j][i] - 1
			was := q.r[j][i]
			q.r[j][i] = -(a*e + e*e*e)
			c[j].Size += q.r[j][i] * q.r[j][i] * q.scale(i)
			c[j].Cross += q.r[j][i] * (q.r[j][i] - was) * q.scale(i)
			solved = solved && math.Abs(q.r[j][i]) <= q.limit
		}
	}
	q.trajectory = append(q.trajectory, q.value())
	return solved
}

func (q *quartic) value() (f float64) {
	for i, a := range q.a {
		e := q.x[0][i] - 1
		f += a*e*e/2 + e*e*e*e/4
	}
	return f
}

func (q *quartic) Turn(c []Column) error {
	q.turns++
	for j := range c {
		c[j].Slope = 0
		for i, r := range q.r[j] {
			q.p[j][i] = r*q.scale(i) + c[j].Beta*q.p[j][i]
			if q.back && c[j].Beta > 0 {
				q.p[j][i] = -r
			}
			c[j].Slope += r * q.p[j][i]
		}
	}
	return nil
}

// Curve is the curvature at x, which bounds it all along p where no |x − 1| grows.
func (q *quartic) Curve(c []Column) error {
	for j := range c {
		c[j].Curve = 0
		for i, p := range q.p[j] {
			e := q.x[j][i] - 1
			c[j].Curve += p * p * (q.a[i] + 3*e*e)
		}
	}
	return nil
}

func (q *quartic) Move(c []Column) (bool, error) {
	for j := range c {
		for i, p := range q.p[j] {
			q.x[j][i] += c[j].Alpha * p
		}
	}
	return q.residual(c), nil
}

// TestConvex: a convex function that is not quadratic, in two columns, falls at every step and ends at its minimum; a
// column that has arrived stays where it is.
func TestConvex(t *testing.T) {
	q := newQuartic([]float64{1, 10, 100, 1000})
	steps, end, err := Conjugate(q, q.begin(), 2000)
	if err != nil || end != Solved || steps != len(q.trajectory)-1 {
		t.Fatalf("%d steps, %s, %v", steps, end, err)
	}
	for j := range q.x {
		for i, x := range q.x[j] {
			if math.Abs(x-1) > 1e-9 {
				t.Errorf("column %d: x_%d = %v", j, i, x)
			}
		}
	}
	for i := 1; i < len(q.trajectory); i++ {
		if q.trajectory[i] > q.trajectory[i-1]*(1+1e-12) {
			t.Errorf("step %d: F rises from %v to %v", i, q.trajectory[i-1], q.trajectory[i])
		}
	}
}

// TestPreconditioned: the diagonal as the preconditioner takes a third of the steps or less where it spans four powers
// of ten.
func TestPreconditioned(t *testing.T) {
	var steps [2]int
	for i, plain := range []bool{false, true} {
		a := make([]float64, 30)
		for k := range a {
			a[k] = math.Pow(10, 4*float64(k)/29)
		}
		q := newQuartic(a)
		q.plain, q.limit = plain, 1e-6
		n, end, err := Conjugate(q, q.begin(), 100000)
		if end != Solved || err != nil {
			t.Fatalf("%s, %v", end, err)
		}
		steps[i] = n
	}
	if 3*steps[0] > steps[1] {
		t.Errorf("%d steps with the preconditioner, %d without", steps[0], steps[1])
	}
}

// TestRestart: a direction that goes back is dropped for the steepest one.
func TestRestart(t *testing.T) {
	q := newQuartic([]float64{1, 2, 3})
	q.back, q.plain, q.limit = true, true, 1e-6
	steps, end, err := Conjugate(q, q.begin(), 5000)
	if end != Solved || err != nil || q.turns < steps+steps/4 {
		t.Errorf("%d steps with %d turns, %s, %v", steps, q.turns, end, err)
	}
}

// script is a problem that answers from a list and writes down what it is told.
type script struct {
	slope, curve, size, cross []float64
	step                      int
	alpha, beta               []float64
}

func (s *script) Turn(c []Column) error {
	s.beta = append(s.beta, c[0].Beta)
	c[0].Slope = s.slope[s.step]
	return nil
}

func (s *script) Curve(c []Column) error {
	c[0].Curve = s.curve[s.step]
	return nil
}

func (s *script) Move(c []Column) (bool, error) {
	s.alpha = append(s.alpha, c[0].Alpha)
	c[0].Size, c[0].Cross = s.size[s.step], s.cross[s.step]
	s.step++
	return s.step == len(s.size), nil
}

// TestRecurrence: α and β of four steps, worked out by hand. After a step that is short, so that Cross is below 0,
// nothing of the direction is kept.
func TestRecurrence(t *testing.T) {
	s := &script{slope: []float64{4, 2, 5, 1}, curve: []float64{8, 8, 4, 2}, size: []float64{2, 5, 1, 0},
		cross: []float64{1, -3, 2.5, 0}}
	steps, end, err := Conjugate(s, []Column{{Size: 4, Beta: 7}}, 9)
	alpha, beta := []float64{0.5, 0.25, 1.25, 0.5}, []float64{0, 0.25, 0, 0.5}
	if steps != 4 || end != Solved || err != nil || !slices.Equal(s.alpha, alpha) || !slices.Equal(s.beta, beta) {
		t.Errorf("%d steps, %s, %v: α %v and β %v, want %v and %v", steps, end, err, s.alpha, s.beta, alpha, beta)
	}
}
