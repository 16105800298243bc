package energytest

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// finite: energy and gradient are finite for H of any usual size.
func (s *subject) finite(t *testing.T) {
	vs := []ad.Var{s.l.Smooth(s.hv), s.l.Grad(s.hv)}
	prog := ad.Compile(vs...)
	at := s.h.Slice()
	defer s.h.Write(at)
	for _, size := range []mat.Real{0, 1e-3, 1, 1e3} {
		moved := mat.FromSlice(Nodes, Dim, at)
		mat.Affine(s.h, moved, size, 0)
		run(t, prog)
		for _, v := range vs {
			if err := prog.Value(v).CheckFinite(); err != nil {
				t.Errorf("H times %v: %v", size, err)
			}
		}
	}
}

// energy returns the sum whose derivative to H is the gradient: nodes receive the present H, which does not move with
// it.
func (s *subject) energy() ad.Var {
	held := s.hv
	if s.l.Game() {
		held = ad.Const(mat.FromSlice(Nodes, Dim, s.h.Slice()))
	}
	total := ad.Number(0)
	edges, nodes := s.l.Rows(s.hv, held)
	for _, rows := range append(edges, nodes...) {
		total = total.Add(rows.Sum())
	}
	return total
}

// gradient: first derivatives to H and parameters against finite differences.
func (s *subject) gradient(t *testing.T) {
	if s.sharp && !testkit.Double {
		t.Skip("an energy with sharp bends is tested in double precision")
	}
	y := s.energy()
	grads := ad.Grad(y, s.vars()...)
	grads[0] = s.l.Grad(s.hv)
	testkit.Gradient(t, y, grads, s.matrices()...)
}

// hessian: derivatives of ⟨∇, r⟩ to H and parameters against finite differences.
func (s *subject) hessian(t *testing.T) {
	if s.kinked && !testkit.Double {
		t.Skip("a gradient with kinks is tested in double precision")
	}
	y := s.l.Grad(s.hv).Dot(s.cotangent(11))
	testkit.Gradient(t, y, ad.Grad(y, s.vars()...), s.matrices()...)
}

// symmetric: ⟨u, ∇² v⟩ = ⟨v, ∇² u⟩.
func (s *subject) symmetric(t *testing.T) {
	u, v := s.cotangent(21), s.cotangent(22)
	g := s.l.Grad(s.hv)
	hu, hv := ad.Grad(g.Dot(u), s.hv)[0], ad.Grad(g.Dot(v), s.hv)[0]
	x := eval(t, u, v, hu, hv)
	a, b := dot(x[0], x[3]), dot(x[1], x[2])
	if e := math.Abs(a - b); !(e <= 10*rounding()*max(1, math.Abs(a))) {
		t.Errorf("⟨u, ∇²v⟩ = %v and ⟨v, ∇²u⟩ = %v", a, b)
	}
}

// fused: the fast gradient and its derivatives equal the plain ones.
func (s *subject) fused(t *testing.T) {
	plain := s.l.Plain()
	got, want := s.l.Grad(s.hv), plain.Grad(s.hv)
	r := s.cotangent(31)
	x := eval(t, append([]ad.Var{got, want}, append(ad.VJP(got, r, s.vars()...),
		ad.VJP(want, r, s.vars()...)...)...)...)
	same(t, "fused gradient", x[0], x[1])
	sums := eval(t, s.l.Total(s.hv), plain.Smooth(s.hv))
	same(t, "total energy", sums[0], sums[1])
	n := len(s.params) + 1
	for i := range n {
		what := "derivative of the fused gradient to H"
		if i > 0 {
			what = "derivative of the fused gradient to parameter " + s.params[i-1].Name
		}
		same(t, what, x[2+i], x[2+n+i])
	}
}

// local: row v of the gradient does not change, not by a bit, when a row changes that is not near v.
func (s *subject) local(t *testing.T, near func(v, w int) bool) {
	g := s.l.Grad(s.hv)
	prog := compiled(t, g)
	before, at := prog.Value(g).Slice(), s.h.Slice()
	defer s.h.Write(at)
	for w := range Nodes {
		moved := append([]mat.Real(nil), at...)
		for j := range Dim {
			moved[w*Dim+j] += 0.7
		}
		s.h.Write(moved)
		run(t, prog)
		after := prog.Value(g).Slice()
		for i := range after {
			if v := i / Dim; after[i] != before[i] && !near(v, w) {
				t.Errorf("gradient row %d changes with row %d, which is no neighbour", v, w)
				return
			}
		}
	}
}
