package energytest

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// bound returns the claimed curvature, n numbers.
func (s *subject) bound(t *testing.T) []float64 {
	q := s.q.Expand(mat.Shape{Rows: Nodes, Cols: 1})
	x := make([]float64, Nodes)
	for v, y := range eval(t, q)[0] {
		if x[v] = float64(y); !(x[v] >= 0) || math.IsInf(x[v], 0) {
			t.Fatalf("curvature %v of node %d", y, v)
		}
	}
	return x
}

// majorant: vᵀ∇²v ≤ vᵀ diag(q) v at several H, from random directions towards the worst one.
func (s *subject) majorant(t *testing.T) {
	q := s.bound(t)
	dir := random(Nodes, Dim, 1, 41)
	v := ad.Input(dir)
	hv := ad.Grad(s.l.Grad(s.hv).Dot(v), s.hv)[0]
	prog := ad.Compile(hv)
	at := s.h.Slice()
	defer s.h.Write(at)
	for try, size := range []mat.Real{0, 0.03, 0.3, 1, 2, 5, 30} {
		mat.Affine(s.h, mat.FromSlice(Nodes, Dim, at), size, 0)
		mat.Uniform(dir, -1, 1, uint64(50+try))
		for range 30 {
			run(t, prog)
			if ratio := s.worsen(t, dir, prog.Value(hv).Slice(), q); !(ratio <= 1+s.slack()) {
				t.Fatalf("H times %v: vᵀ∇²v is %.6f of vᵀ diag(q) v", size, ratio)
			}
		}
	}
}

// boundDerivative: derivatives of ⟨q, r⟩ to the parameters against finite differences.
func (s *subject) boundDerivative(t *testing.T) {
	if !testkit.Double {
		t.Skip("a bound on a norm bends within a step of single precision")
	}
	q := s.q.Expand(mat.Shape{Rows: Nodes, Cols: 1})
	y := q.Dot(ad.Const(random(Nodes, 1, 1, 61)))
	testkit.Gradient(t, y, ad.Grad(y, s.vars()[1:]...), s.matrices()[1:]...)
}

// slack allows for the rounding of products of random sign.
func (s *subject) slack() float64 { return 5 * rounding() }

// worsen gives vᵀ∇²v / vᵀQv and moves v towards the direction where that is largest: v + Q⁻¹∇²v.
func (s *subject) worsen(t *testing.T, dir *mat.Dense, hv []mat.Real, q []float64) float64 {
	v := dir.Slice()
	above, below := dot(v, hv), 0.0
	next, length := make([]mat.Real, len(v)), 0.0
	for i := range v {
		node := q[i/Dim]
		below += node * float64(v[i]) * float64(v[i])
		if node == 0 {
			if hv[i] != 0 {
				t.Fatalf("node %d claims no curvature and has some", i/Dim)
			}
			continue
		}
		next[i] = v[i] + hv[i]/mat.Real(node)
		length = max(length, math.Abs(float64(next[i])))
	}
	for i := range next {
		next[i] /= mat.Real(max(length, 1e-9))
	}
	dir.Write(next)
	if below == 0 {
		return 0
	}
	return above / below
}

// descent: steps as long as the bound allows do not raise the energy, for M = 1, M = q/2 and some M.
func (s *subject) descent(t *testing.T) {
	q := s.bound(t)
	rate := mat.New(Nodes, 1)
	next, y := s.hv.Sub(s.l.Grad(s.hv).Mul(ad.Input(rate))), s.l.Smooth(s.hv)
	prog := ad.Compile(next, y)
	at := s.h.Slice()
	defer s.h.Write(at)
	for name, m := range map[string]func(v int) float64{
		"1":      func(int) float64 { return 1 },
		"q/2":    func(v int) float64 { return q[v] / 2 },
		"random": func(v int) float64 { return 0.5 + math.Mod(float64(v)*0.618, 1) },
	} {
		rate.Write(rates(q, m))
		for _, size := range []mat.Real{0.1, 1, 10} {
			mat.Affine(s.h, mat.FromSlice(Nodes, Dim, at), size, 0)
			s.falls(t, prog, next, y, "M = "+name)
		}
	}
}

// rates returns γ/M_v with γ = 2 min M/q, 0 where q is.
func rates(q []float64, m func(v int) float64) []mat.Real {
	gamma := math.Inf(1)
	for v := range q {
		if q[v] > 0 {
			gamma = min(gamma, 2*m(v)/q[v])
		}
	}
	x := make([]mat.Real, len(q))
	for v := range q {
		if q[v] > 0 {
			x[v] = mat.Real(gamma / m(v))
		}
	}
	return x
}

// falls takes 12 steps and looks at the energy before each.
func (s *subject) falls(t *testing.T, prog *ad.Program, next, y ad.Var, what string) {
	t.Helper()
	allowed := 1e-6 // rounding of the sum
	if testkit.Double {
		allowed = 1e-12
	}
	last, scale := math.Inf(1), 0.0
	for step := range 12 {
		run(t, prog)
		now := float64(prog.Value(y).Item())
		scale = max(scale, math.Abs(now), 1)
		if !(now <= last+allowed*scale) {
			t.Errorf("%s: energy %v after %v at step %d", what, now, last, step)
			return
		}
		last = now
		s.h.Write(prog.Value(next).Slice())
	}
}
