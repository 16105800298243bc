package energytest

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// NodeTerm proves a node term; see the package comment. Pi and X have Nodes rows and Dim columns.
func NodeTerm(t *testing.T, name string, make func() energy.NodeTerm, opts ...Option) {
	t.Helper()
	o := collect(opts)
	t.Run(name, func(t *testing.T) {
		for i, w := range worlds(2)[2:5] {
			on := w.structure()
			t.Run(w.name, func(t *testing.T) { proveNodes(t, on, make(), uint64(1000*i), o) })
		}
	})
}

func proveNodes(t *testing.T, on *energy.Structure, k energy.NodeTerm, seed uint64, o options) {
	s := newSubject(on, seed)
	s.options = o
	s.l.Kappa = []energy.NodeTerm{k}
	s.own(k.Params(), seed+10)
	if m, ok := k.(energy.MajorizedNodes); ok {
		s.q = m.NodeCurvature(on)
	}
	t.Run("shape", func(t *testing.T) {
		_, nodes := s.l.Rows(s.hv, s.hv)
		if got, want := nodes[0].Shape(), (mat.Shape{Rows: Nodes, Cols: 1}); got != want {
			t.Errorf("energies of shape %v, want %v: one per node", got, want)
		}
	})
	s.proveAll(t, func(v, w int) bool { return v == w || s.l.Game() && adjacent(on, v, w) })
	t.Run("input", s.input)
}

// input: derivatives of the energy and of ⟨∇, r⟩ to Pi against finite differences.
func (s *subject) input(t *testing.T) {
	if s.sharp && !testkit.Double {
		return
	}
	y := s.l.Smooth(s.hv)
	testkit.Gradient(t, y, ad.Grad(y, s.l.Pi), s.pi)
	if s.kinked && !testkit.Double {
		return
	}
	y = s.l.Grad(s.hv).Dot(s.cotangent(78))
	testkit.Gradient(t, y, ad.Grad(y, s.l.Pi), s.pi)
}
