package energytest

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// Option changes what a suite asks of a term.
type Option func(*options)

type options struct {
	kinked, sharp bool
	coupled       bool
}

func collect(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// Kinked says that the gradient has kinks, like the gradient of Huber: its finite differences are then taken in double
// precision only, where steps are too short to meet one.
func Kinked() Option { return func(o *options) { o.kinked = true } }

// Sharp says that the energy itself has kinks, rounded off over less than a step of finite differences in
// single precision: they are then taken in double precision only.
func Sharp() Option { return func(o *options) { o.kinked, o.sharp = true, true } }

// Coupled says of a Constraint that its prox couples nodes, so that gamma has to be one number.
func Coupled() Option { return func(o *options) { o.coupled = true } }

// subject is an energy of one term on one graph.
type subject struct {
	l      *energy.Lower
	h, pi  *mat.Dense
	hv     ad.Var
	params []*ad.Param
	q      ad.Var // the curvature it claims, n×1; absent if it claims none
	options
}

// newSubject has random H, Pi and X.
func newSubject(on *energy.Structure, seed uint64) *subject {
	s := &subject{h: random(Nodes, Dim, 1.5, seed), pi: random(Nodes, Dim, 1.5, seed+1)}
	s.hv = ad.Input(s.h)
	s.l = &energy.Lower{On: on, Pi: ad.Input(s.pi), X: ad.Const(random(Nodes, Dim, 1.5, seed+2))}
	return s
}

// own takes the parameters of the term and moves them by up to 0.4.
func (s *subject) own(params []*ad.Param, seed uint64) {
	s.params = params
	for i, p := range params {
		noise := random(p.Rows(), p.Cols(), 0.4, seed+uint64(i))
		mat.Axpby(p.Value(), p.Value(), noise, 1, 1)
	}
}

// vars returns H and the parameters.
func (s *subject) vars() []ad.Var {
	vs := []ad.Var{s.hv}
	for _, p := range s.params {
		vs = append(vs, p.Var)
	}
	return vs
}

// matrices returns the matrices that hold the values of vars.
func (s *subject) matrices() []*mat.Dense {
	ms := []*mat.Dense{s.h}
	for _, p := range s.params {
		ms = append(ms, p.Value())
	}
	return ms
}

// cotangent returns a random matrix like H.
func (s *subject) cotangent(seed uint64) ad.Var { return ad.Const(random(Nodes, Dim, 1, seed)) }

// eval runs expressions and returns their values.
func eval(t testing.TB, vs ...ad.Var) [][]mat.Real {
	t.Helper()
	prog := compiled(t, vs...)
	out := make([][]mat.Real, len(vs))
	for i, v := range vs {
		out[i] = prog.Value(v).Slice()
	}
	return out
}

func compiled(t testing.TB, vs ...ad.Var) *ad.Program {
	t.Helper()
	prog := ad.Compile(vs...)
	run(t, prog)
	return prog
}

func run(t testing.TB, prog *ad.Program) {
	t.Helper()
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
}

// rounding returns the error, relative to the largest number involved, that sums of a few dozen numbers may have.
func rounding() float64 {
	if testkit.Double {
		return 1e-11
	}
	return 2e-5
}

// same fails t when two lists differ by more than rounding.
func same(t testing.TB, what string, got, want []mat.Real) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	scale := 1.0
	for _, w := range want {
		scale = max(scale, math.Abs(float64(w)))
	}
	for i := range got {
		if e := math.Abs(float64(got[i]) - float64(want[i])); !(e <= rounding()*scale) {
			t.Errorf("%s, entry %d: %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

func dot(a, b []mat.Real) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
