package energytest

import (
	"testing"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// EdgeTerm proves an edge term; see the package comment. make returns it with new parameters each time,
// for rows of Dim numbers and Relations relations.
func EdgeTerm(t *testing.T, name string, make func() energy.EdgeTerm, opts ...Option) {
	t.Helper()
	o := collect(opts)
	t.Run(name, func(t *testing.T) {
		for i, w := range worlds(1) {
			on := w.structure()
			t.Run(w.name, func(t *testing.T) { proveEdges(t, w, on, make, uint64(1000*i), o) })
		}
	})
}

// edgeSubject returns one term on one graph, a function of the seed. A term about features is given them.
func edgeSubject(on *energy.Structure, f energy.EdgeTerm, seed uint64, o options) *subject {
	s := newSubject(on, seed)
	s.options = o
	s.own(f.Params(), seed+10)
	s.l.F = energy.Given([]energy.EdgeTerm{f}, on, s.l.X)
	if m, ok := s.l.F[0].(energy.MajorizedEdges); ok {
		s.q = m.EdgeCurvature(on)
	}
	return s
}

func proveEdges(t *testing.T, w world, on *energy.Structure, make func() energy.EdgeTerm, seed uint64, o options) {
	f := make()
	s := edgeSubject(on, f, seed, o)
	t.Run("shape", func(t *testing.T) {
		edges, _ := s.l.Rows(s.hv, s.hv)
		if got, want := edges[0].Shape(), (mat.Shape{Rows: on.Graph.NumEdges(), Cols: 1}); got != want {
			t.Errorf("energies of shape %v, want %v: one per edge", got, want)
		}
	})
	s.proveAll(t, func(v, u int) bool { return v == u || adjacent(on, v, u) })
	t.Run("order", func(t *testing.T) {
		other := edgeSubject(w.shuffled(seed+3).structure(), make(), seed, o)
		x := eval(t, s.l.Smooth(s.hv), s.l.Grad(s.hv), other.l.Smooth(other.hv), other.l.Grad(other.hv))
		same(t, "energy with edges in another order", x[2], x[0])
		same(t, "gradient with edges in another order", x[3], x[1])
	})
	if _, ok := s.l.F[0].(energy.FusedEdges); ok {
		t.Run("fused", s.fused)
	}
	if _, ok := f.(energy.GivenEdges); ok {
		t.Run("given", func(t *testing.T) {
			plain := *s.l
			plain.F = []energy.EdgeTerm{f}
			x := eval(t, s.l.Smooth(s.hv), plain.Smooth(s.hv))
			same(t, "energy of the term that is given its features", x[0], x[1])
		})
	}
}

// proveAll runs what edge terms and node terms have in common.
func (s *subject) proveAll(t *testing.T, near func(v, w int) bool) {
	t.Run("finite", s.finite)
	t.Run("gradient", s.gradient)
	t.Run("hessian", s.hessian)
	if !s.l.Game() {
		t.Run("symmetric", s.symmetric)
	}
	t.Run("local", func(t *testing.T) { s.local(t, near) })
	if !s.q.IsZero() {
		t.Run("majorant", s.majorant)
		t.Run("bound", s.boundDerivative)
		t.Run("descent", s.descent)
	}
}

// adjacent reports whether an edge joins v and w.
func adjacent(on *energy.Structure, v, w int) bool {
	to := on.Graph.Targets()
	for e, u := range on.Graph.Sources() {
		if int(u) == v && int(to[e]) == w || int(u) == w && int(to[e]) == v {
			return true
		}
	}
	return false
}
